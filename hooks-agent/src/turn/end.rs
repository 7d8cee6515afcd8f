//! The end of a turn: repairs the conversation, fires `turn_end`, creates the reply.

use std::collections::HashSet;

use hook_sdk::data::{Block, Message, Role, ToolCall, ToolResult};
use hook_sdk::kinds::{ExitReason, StopReason, TurnEnd};
use hook_sdk::verdict::Halt;

use super::TurnLoop;
use super::pairs::LOST;
use crate::approve::ApprovalRequest;
use crate::model::ModelError;
use crate::reply::{Outcome, Reply, TurnError, Waits};

/// The name of an end because of the deadline.
const DEADLINE: &str = "deadline";

/// The name of an end because a call waits for an approval.
const SUSPENDED: &str = "suspended";

/// Follows the part of an answer that was shown, if there is no more of it.
pub(super) const BROKE_OFF: &str = " [the answer broke off]";

/// How a turn ends, and the name of that for hooks at `turn_end`.
pub(super) struct End {
    outcome: Outcome,
    reason: ExitReason,
}

impl End {
    pub(super) fn new(outcome: Outcome, reason: ExitReason) -> Self {
        Self { outcome, reason }
    }

    /// A hook rejected or stopped the prompt.
    pub(super) fn refused(outcome: Outcome) -> Self {
        Self::new(outcome, ExitReason::PromptRefused)
    }

    /// A hook halted the turn.
    pub(super) fn halted(halt: Halt) -> Self {
        Self::new(Outcome::Halted(halt), ExitReason::Halted)
    }

    /// The turn was cancelled at this place.
    pub(super) fn cancelled(place: ExitReason) -> Self {
        Self::new(Outcome::Cancelled, place)
    }

    /// A call waits for an approval.
    pub(super) fn suspended(request: ApprovalRequest) -> Self {
        Self::new(Outcome::Suspended(Box::new(request)), ExitReason::from(SUSPENDED))
    }

    /// What follows the part of an answer that was shown when the turn ended like this.
    pub(super) fn note(&self) -> String {
        match &self.outcome {
            Outcome::Cancelled => BROKE_OFF.to_owned(),
            outcome => format!("\n{outcome}"),
        }
    }

    /// Whether calls stay open because one of them waits for an approval.
    pub(super) fn is_suspended(&self) -> bool {
        matches!(self.outcome, Outcome::Suspended(_))
    }

    /// Whether the turn was cancelled, or took too long.
    pub(super) fn is_cancelled(&self) -> bool {
        matches!(self.outcome, Outcome::Cancelled) || self.reason.as_ref() == DEADLINE
    }

    /// Whether the turn ends with the model's answer.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.outcome, Outcome::Answered(_))
    }

    /// The error for an operation between turns, which has no reply.
    pub(super) fn into_error(self) -> TurnError {
        match self.outcome {
            Outcome::Failed(error) => error,
            Outcome::Halted(halt) => TurnError::Halted(halt),
            _ => TurnError::Cancelled,
        }
    }

    /// Replaces a cancellation by the deadline, which caused it.
    pub(super) fn late(self, last: Option<Message>) -> Self {
        match self.outcome {
            Outcome::Cancelled => {
                let reason = StopReason::from(DEADLINE);
                Self::new(Outcome::Unfinished { reason, last }, ExitReason::from(DEADLINE))
            }
            outcome => Self { outcome, ..self },
        }
    }

    /// The error, if the turn failed.
    fn error(&self) -> Option<&TurnError> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            _ => None,
        }
    }
}

impl<E: Into<TurnError>> From<E> for End {
    fn from(error: E) -> Self {
        let error = error.into();
        let reason = match &error {
            TurnError::Model(ModelError::Overflow(_)) => ExitReason::ContextTooLarge,
            _ => ExitReason::Error,
        };
        Self::new(Outcome::Failed(error), reason)
    }
}

impl TurnLoop {
    /// Repairs the conversation, fires `turn_end`, and creates the reply.
    pub(super) async fn end(mut self, end: End) -> Reply {
        let not_joined = self.steering.close();
        // However a turn ends before it takes an answer, it leaves the answer to the next one.
        let waits = self.waits(&end);
        if matches!(waits, Waits::No) {
            self.answer_open_calls().await;
        }
        let error = end.error().map(ToString::to_string);
        if self.taken {
            let text = match &end.outcome {
                Outcome::Answered(message) => message.text().into_owned(),
                _ => String::new(),
            };
            let failed = self.post_turn(&text, error.iter().cloned().collect()).await.err();
            if let Some(error) = failed.as_ref().and_then(End::error) {
                tracing::warn!(target: "hooks_agent", %error, "`post_turn` could not be fired");
            }
        }
        let mut event = TurnEnd::new(end.reason.clone()).history(self.transcript.view.clone());
        event.error = error;
        // Hooks cannot change the end of the turn any more, except that a required hook can fail.
        let last = self.announce(&event).await.err();
        if let (Some(conversation), Some(turn)) = (self.cx.conversation(), self.cx.turn()) {
            self.session.harness.registry.conversation_states().end_turn(conversation, turn);
        }
        let outcome = match last {
            Some(last) if end.error().is_none() && last.error().is_some() => last.outcome,
            _ => end.outcome,
        };
        self.retract(&outcome);
        Reply {
            exit: end.reason,
            // The others contain it, or replace it.
            answer: self.draft.answer.filter(|_| matches!(outcome, Outcome::Failed(_) | Outcome::Halted(_))),
            outcome,
            messages: self.transcript.added,
            contexts: self.draft.contexts,
            system_messages: self.draft.system_messages,
            ended: self.draft.ended,
            contributions: self.draft.contributions,
            diagnostics: self.draft.diagnostics,
            iterations: self.counts.iterations,
            usage: self.draft.usage,
            left_out: self.draft.left_out,
            not_joined,
            waits,
        }
    }

    /// Whether calls wait if the turn ends like this.
    fn waits(&self, end: &End) -> Waits {
        match (&end.outcome, &self.calls.wait_for) {
            (Outcome::Suspended(request), _) => Waits::For(request.clone()),
            _ if !self.calls.wait => Waits::No,
            (_, Some(request)) => Waits::For(request.clone()),
            (_, None) => Waits::AsBefore,
        }
    }

    /// Stores a result for each call without one, because providers reject a conversation with an open call.
    async fn answer_open_calls(&mut self) {
        if self.open_calls().is_empty() {
            return;
        }
        // A store that failed may have stored a result nevertheless. If that cannot be read, the calls stay open: the next
        // turn reads a result for each, and a second one could contradict the first.
        if let Err(error) = self.catch_up().await {
            tracing::warn!(target: "hooks_agent", %error, "calls are left without their results");
            return;
        }
        let open = self.open_calls();
        if let Err(error) = self.abandon_questions(&open).await {
            tracing::warn!(target: "hooks_agent", %error, "the questions about calls that did not run stay open");
        }
        for call in open {
            // The text differs, because a model repeats a call that was not run.
            let text = if self.calls.started.contains(&call.id) {
                "The call was started, but the turn ended before its result was stored"
            } else if self.calls.unknown.contains(&call.id) {
                LOST
            } else {
                "Not run: the turn ended"
            };
            let block = ToolResult::error(text).into_block(&call);
            let message = Message::of(Role::Tool, vec![block]);
            if self.store(message.clone()).await.is_ok() {
                continue;
            }
            // Here too.
            let failed = match self.catch_up().await {
                Ok(_) if !self.is_open(&call) => None,
                // If a required hook fails, store the row anyway: this text contains nothing that it could have to redact.
                Ok(_) => self.append(message).await.err(),
                Err(error) => Some(error.into()),
            };
            if let Some(error) = failed.as_ref().and_then(End::error) {
                tracing::warn!(target: "hooks_agent", %error, call = %call.id, "a call is left without its result");
            }
        }
    }

    /// Whether this call of the turn has no result.
    pub(super) fn is_open(&self, call: &ToolCall) -> bool {
        self.open_calls().iter().any(|open| open.id == call.id)
    }

    /// The calls of this turn without a result.
    fn open_calls(&self) -> Vec<ToolCall> {
        let stored = self.transcript.lineage.messages();
        let blocks = self.transcript.added.iter().chain(&stored).flat_map(|message| &message.content);
        let answered: HashSet<&str> = blocks
            .filter_map(
                |block| if let Block::ToolResult(result) = block { Some(result.call_id.as_str()) } else { None },
            )
            .collect();
        let calls = self.calls.resumed.iter().chain(self.transcript.added.iter().flat_map(Message::tool_calls));
        calls.filter(|call| !answered.contains(call.id.as_str())).cloned().collect()
    }
}
