//! The hooks at `stop`, which decide whether the turn ends.

use hook_sdk::HookKind;
use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::{ExitReason, Stop, StopReason};
use hook_sdk::verdict::StopDecision;

use super::TurnLoop;
use super::end::End;
use crate::budget;
use crate::event::{StopEffect, TurnEvent};
use crate::injected;
use crate::reply::{EndedBy, Outcome};

/// Takes the place of an answer that not all hooks could judge.
const WITHHELD: &str = "[Withheld: the turn ended before all hooks had judged the answer]";

impl TurnLoop {
    /// Fires `stop`. Returns `None` if the turn continues.
    ///
    /// Hooks see the `answer` of the model in the form in which it will be stored, after masking. It is stored after
    /// they ran, because one of them may replace it by an error.
    pub(super) async fn stop(&mut self, reason: StopReason, answer: Option<Message>) -> Result<Option<End>, End> {
        // An empty answer is valid, but there is nothing to store.
        let row = match answer.clone().filter(|message| !message.content.is_empty()) {
            Some(message) => Some(self.row_of(message).await?),
            None => None,
        };
        if self.halted.is_some() {
            self.not_judged(row).await?;
            return self.go_on(ExitReason::AbortedPostResponse).map(|()| None);
        }
        let at_cap = self.budget.has_no_calls();
        let mut event =
            Stop::new(reason.clone()).at_iteration_cap(at_cap).stop_hook_active(self.counts.stop_hook_active);
        event.last_message = row.clone().or_else(|| answer.clone()).or_else(|| self.last_said());
        let verdict = match self.fire(&event, ()).await {
            Ok(fired) => fired.verdict,
            Err(exit) => {
                self.not_judged(row).await?;
                return Err(exit);
            }
        };
        for text in &verdict.system_messages {
            self.emit(|| TurnEvent::SystemMessage(text.clone()));
        }
        self.draft.system_messages.extend(verdict.system_messages);
        if !verdict.suppress_output && reason == StopReason::FinalResponse {
            self.draft.contexts = verdict.contexts;
        }

        let effect = match &verdict.decision {
            StopDecision::Block(_) => StopEffect::Block,
            StopDecision::Continue(_) if at_cap => StopEffect::ContinueAtMaxIter,
            StopDecision::Continue(_) if self.budget.spent().is_some() => StopEffect::ContinueAtTokenBudget,
            StopDecision::Continue(_) if self.counts.stop_continues >= self.limits().stop_continues => {
                StopEffect::ReentryCapped
            }
            StopDecision::Continue(_) if self.halted.is_none() => StopEffect::Continue,
            _ => StopEffect::Allow,
        };
        let why = match &verdict.decision {
            StopDecision::End(reason) | StopDecision::Block(reason) => Some(reason.clone()),
            _ => None,
        };
        if self.hooks.has::<Stop>() {
            self.emit(|| TurnEvent::Stop { effect, by: verdict.by.clone(), reason: why.clone() });
        }
        match (effect, verdict.decision) {
            (StopEffect::Continue, StopDecision::Continue(follow_up)) => {
                self.append_judged(row).await?;
                self.counts.stop_continues += 1;
                self.counts.stop_hook_active = true;
                self.store(injected::follow_up(follow_up.as_str())).await?;
                self.go_on(ExitReason::AbortedPostResponse)?;
                Ok(None)
            }
            (_, StopDecision::Block(reason)) => {
                let by = verdict.by;
                self.emit(|| TurnEvent::Blocked { kind: Stop::NAME, by: by.clone(), reason: reason.clone() });
                let blocked = Message::new(Role::Assistant, format!("[Blocked by Stop hook] {reason}"));
                let stored = self.store(blocked).await?;
                if !self.shown.is_empty() {
                    self.show(&stored);
                }
                Ok(Some(End::new(Outcome::AnswerBlocked { reason, by }, ExitReason::AnswerBlocked)))
            }
            (_, decision) => {
                if let StopDecision::End(reason) = decision {
                    self.draft.ended = Some(EndedBy { reason, by: verdict.by });
                }
                if self.halted.is_some() {
                    // The hooks after the one that halted have not run.
                    self.not_judged(row).await?;
                    return self.go_on(ExitReason::AbortedPostResponse).map(|()| None);
                }
                let answer = self.append_judged(row).await?.or(answer);
                self.go_on(ExitReason::AbortedPostResponse)?;
                Ok(Some(match (reason, answer) {
                    (StopReason::FinalResponse, Some(answer)) => {
                        End::new(Outcome::Answered(answer), ExitReason::NoToolCalls)
                    }
                    (StopReason::LengthTruncation, Some(answer)) => {
                        End::new(Outcome::Answered(answer), ExitReason::MaxTokensReached)
                    }
                    (reason, _) => {
                        let word = match reason.as_ref() {
                            budget::TOKENS => ExitReason::BudgetYieldUnrecovered,
                            word => ExitReason::from(word),
                        };
                        End::new(Outcome::Unfinished { reason, last: self.last_said() }, word)
                    }
                }))
            }
        }
    }

    /// Handles an answer that the hooks at `stop` have not judged. It is withheld, unless it was shown while it was
    /// streamed.
    async fn not_judged(&mut self, row: Option<Message>) -> Result<(), End> {
        let withheld = self.is_deferred || self.hooks.has::<Stop>() && self.shown.is_empty();
        let row = row.map(|row| if withheld { Message::new(Role::Assistant, WITHHELD) } else { row });
        self.append_said(row).await?;
        Ok(())
    }

    /// Stores and shows the model's answer, if there is one, and returns the stored message.
    pub(super) async fn append_said(&mut self, row: Option<Message>) -> Result<Option<Message>, End> {
        let before = self.transcript.added.len();
        let stored = match row {
            Some(row) => Some(self.append(row).await),
            None => None,
        };
        // A hook may fail after the row was stored. What is stored is shown nevertheless.
        match (&stored, self.transcript.added.get(before).cloned()) {
            (Some(_), Some(row)) => self.show(&row),
            (Some(_), None) => {}
            (None, _) => self.show(&Message::of(Role::Assistant, Vec::new())),
        }
        stored.transpose()
    }

    /// Like [`append_said`](Self::append_said), for an answer that all hooks have judged. It is part of the reply even if
    /// the turn ends badly after that.
    async fn append_judged(&mut self, row: Option<Message>) -> Result<Option<Message>, End> {
        let before = self.transcript.added.len();
        let is_answer = row.is_some();
        let stored = self.append_said(row).await;
        self.draft.answer = self.transcript.added.get(before).filter(|_| is_answer).cloned();
        stored
    }

    /// The last message of the model in this turn.
    pub(super) fn last_said(&self) -> Option<Message> {
        self.transcript.added.iter().rev().find(|message| message.role == Role::Assistant).cloned()
    }
}
