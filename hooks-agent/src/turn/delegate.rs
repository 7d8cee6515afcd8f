//! Asking another agent, as a tool.

use std::sync::Arc;

use hooks_core::data::{Message, Role, ToolCall, ToolInput, ToolResult};

use super::tools::CallOutcome;
use super::{TurnLoop, begin};
use crate::agents::{DEPTH, SubAgent};
use crate::event::TurnEvent;
use crate::reply::Outcome;
use crate::store::StoreError;

impl TurnLoop {
    /// Has `agent` answer. Its turn is part of this one: cancelled with it, and over before it.
    pub(super) async fn delegate(&mut self, agent: Arc<SubAgent>, call: &ToolCall, input: &ToolInput) -> CallOutcome {
        let Some(prompt) = input.get("prompt").and_then(|prompt| prompt.as_str()) else {
            return CallOutcome::failed(format!("`{}` is asked with a `prompt`", call.name));
        };
        let mut path = self.cx.agent_path().to_vec();
        path.extend(self.cx.agent().map(str::to_owned));
        if path.len() > DEPTH {
            return CallOutcome::failed(format!(
                "agents that ask agents go {DEPTH} levels deep; answer without `{}`",
                call.name
            ));
        }
        self.start(call);
        let conversation = match self.fresh(format!("{}/{}", self.session.conversation, call.id)).await {
            Ok(conversation) => conversation,
            Err(error) => return CallOutcome::failed(error.to_string()),
        };
        let cx = self.cx.to_builder().agent(agent.agent.name.as_str()).conversation(conversation.as_str());
        let cx = cx.session(self.cx.session().unwrap_or_default());
        let session = Arc::new(self.session.within(&agent, conversation, cx.agent_path(path).build()));
        let message = Message::new(Role::User, prompt);
        let mut turn = begin(&session, None, message, self.cancellation.child_token());
        while let Some(event) = turn.next().await {
            self.emit(|| TurnEvent::Within { agent: agent.agent.name.clone(), event: Box::new(event) });
        }
        let reply = turn.await;
        self.draft.usage += reply.usage;
        let text = reply.to_string();
        match reply.outcome {
            Outcome::Answered(_) => CallOutcome::Succeeded(ToolResult::new(text)),
            Outcome::Cancelled => CallOutcome::NotDone("Not finished: the turn was cancelled".to_owned()),
            _ => CallOutcome::failed(text),
        }
    }

    /// A conversation that is not there yet: once the call of an earlier turn was compacted away, a model may give its id to
    /// another one.
    async fn fresh(&self, name: String) -> Result<String, StoreError> {
        let (mut conversation, mut number) = (name.clone(), 1);
        while !self.session.harness.store.page(&conversation, None, 1).await?.rows.is_empty() {
            number += 1;
            conversation = format!("{name}-{number}");
        }
        Ok(conversation)
    }
}
