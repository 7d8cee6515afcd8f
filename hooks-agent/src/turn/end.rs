//! The end of a turn: a well-formed conversation, `turn_end`, the reply.

use std::collections::HashSet;

use hooks_core::data::{Block, Message, Role, ToolCall, ToolResult};
use hooks_core::kinds::TurnEnd;

use super::Turn;
use super::exit::{Ending, Exit};
use crate::reply::{Outcome, Reply};

impl Turn {
    /// Leaves the conversation well formed, fires `turn_end`, and says what came of the turn.
    pub(super) async fn end(mut self, ended: Result<Ending, Exit>) -> Reply {
        self.answer_open_calls().await;
        let reason = match &ended {
            Ok(ending) => ending.reason(),
            Err(exit) => exit.reason(),
        };
        if self.taken {
            let said = match &ended {
                Ok(Ending::Answered(message, _)) => message.text().into_owned(),
                _ => String::new(),
            };
            let errors = match &ended {
                Err(Exit::Failed(error)) => vec![error.to_string()],
                _ => Vec::new(),
            };
            if let Err(Exit::Failed(error)) = self.post_turn(&said, errors).await {
                tracing::warn!(target: "hooks_agent", %error, "`post_turn` could not be fired");
            }
        }
        let mut event = TurnEnd::new(reason.clone()).history(self.view.clone());
        if let Err(Exit::Failed(error)) = &ended {
            event.error = Some(error.to_string());
        }
        // The turn is over, whatever its last hooks say.
        let told = self.announce(&event).await;
        let outcome = match ended {
            Ok(Ending::Answered(message, _)) => Outcome::Answered(message),
            Ok(Ending::Blocked { reason, by }) => Outcome::AnswerBlocked { reason, by },
            Ok(Ending::Unfinished(reason)) => Outcome::Unfinished { reason, last: self.last_said() },
            Err(Exit::Refused(outcome)) => outcome,
            Err(Exit::Halted(halt)) => Outcome::Halted(halt),
            Err(Exit::Cancelled(_)) => Outcome::Cancelled,
            Err(Exit::Failed(error)) => Outcome::Failed(error),
        };
        let outcome = match (outcome, told) {
            (outcome @ Outcome::Failed(_), _) => outcome,
            (_, Err(Exit::Failed(error))) => Outcome::Failed(error),
            (outcome, _) => outcome,
        };
        Reply {
            outcome,
            exit: reason,
            messages: self.added,
            contexts: self.reply.contexts,
            system_messages: self.reply.system_messages,
            contributions: self.contributions,
            iterations: self.iterations,
            usage: self.usage,
        }
    }

    /// Gives each call that has no result one that says so: providers refuse a conversation with an open call.
    async fn answer_open_calls(&mut self) {
        for call in self.open_calls() {
            // A model that reads that a call was not made makes it again.
            let told = if self.started.contains(&call.id) {
                "It was started, but what came of it was not stored: the turn had ended"
            } else {
                "Not run: the turn had ended"
            };
            let block = ToolResult::error(told).into_block(&call);
            let message = Message::of(Role::Tool, vec![block]);
            if self.store(message.clone()).await.is_err() && self.open_calls().iter().any(|open| open.id == call.id) {
                // A hook that is required fails: there is nothing in this row that it could have to keep back.
                if let Err(Exit::Failed(error)) = self.append(message).await {
                    tracing::warn!(target: "hooks_agent", %error, call = %call.id, "a call is left without its result");
                }
            }
        }
    }

    /// The calls of this turn without a result.
    fn open_calls(&self) -> Vec<ToolCall> {
        let blocks = || self.added.iter().flat_map(|message| &message.content);
        let answered: HashSet<&str> = blocks()
            .filter_map(
                |block| if let Block::ToolResult(result) = block { Some(result.call_id.as_str()) } else { None },
            )
            .collect();
        let calls = self.added.iter().flat_map(Message::tool_calls);
        calls.filter(|call| !answered.contains(call.id.as_str())).cloned().collect()
    }
}
