//! Calls of sub-agents.

use std::sync::Arc;

use hook_sdk::ConfigError;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};

use super::result::CallOutcome;
use super::tools::CallRun;
use super::{TurnLoop, begin};
use crate::agents::{DEPTH, SubAgent, conversation_of, numbered};
use crate::approve::AgentCall;
use crate::event::TurnEvent;
use crate::reply::{Outcome, TurnError, Waits};
use crate::request::TurnRequest;
use crate::state::Asker;
use crate::store::StoreError;

impl TurnLoop {
    /// Checks the input and the nesting depth of a call.
    pub(super) fn may_ask(&self, call: &ToolCall, input: &ToolInput) -> Result<(), CallOutcome> {
        if prompt_of(input).is_none() {
            return Err(CallOutcome::failed(format!("`{}` needs a `prompt`", call.name)));
        }
        // The path contains the callers of this agent, not the agent itself.
        if self.cx.agent_path().len() >= DEPTH {
            let text = format!("agents cannot be nested more than {DEPTH} levels deep; answer without `{}`", call.name);
            return Err(CallOutcome::failed(text));
        }
        Ok(())
    }

    /// Runs a turn of `agent`. It is part of this turn: it is cancelled with it, and ends before it. The gates judged the
    /// input `given`, and left `input`.
    pub(super) async fn delegate(
        &self,
        agent: &SubAgent,
        call: &ToolCall,
        input: &ToolInput,
        given: &ToolInput,
    ) -> CallRun {
        let asker = match self.asker(agent, call, given) {
            Ok(asker) => asker,
            Err(error) => return unasked(error),
        };
        // A suspended agent continues in its conversation.
        let waiting = self.calls.waiting_agents.get(&call.id).cloned();
        let is_resumed = waiting.is_some();
        let conversation = match &waiting {
            Some((conversation, _)) => Ok(conversation.clone()),
            None => self.fresh(conversation_of(&self.session.conversation, &call.id)).await,
        };
        let conversation = match conversation {
            Ok(conversation) => conversation,
            Err(error) => return unasked(error),
        };
        let mut path = self.cx.agent_path().to_vec();
        path.extend(self.cx.agent().map(str::to_owned));
        let cx = self.cx.to_builder().agent(agent.agent.name.as_str()).conversation(conversation.as_str());
        let cx = cx.session(self.cx.session().unwrap_or_default());
        let session = self.session.within(agent, conversation, &cx.agent_path(path).build(), asker);
        let prompt = prompt_of(input).unwrap_or_default();
        let request = if is_resumed { TurnRequest::resuming() } else { TurnRequest::new(prompt) };
        let mut turn = begin(&Arc::new(session), request, self.cancellation.child_token());
        while let Some(event) = turn.next().await {
            let (agent, call) = (agent.agent.name.clone(), call.id.clone());
            self.emit(|| TurnEvent::Within { agent, call, event: Box::new(event) });
        }
        let reply = turn.await;
        let (text, usage) = (reply.to_string(), reply.usage);
        // However its turn ended: if calls of it wait, so does this one.
        let waits = match reply.waits {
            Waits::AsBefore => waiting.map(|(_, request)| Box::new(request)),
            Waits::For(request) => Some(request),
            Waits::No => None,
        };
        let failed = reply.outcome.error().filter(|_| waits.is_some()).map(ToString::to_string);
        let (outcome, halt) = match reply.outcome {
            Outcome::Answered(_) => (CallOutcome::Succeeded(ToolResult::new(text)), None),
            Outcome::Halted(halt) if agent.halts_asker => (CallOutcome::failed(text), Some(halt)),
            _ if waits.is_some() => (CallOutcome::NotDone(text), None),
            Outcome::Cancelled => (CallOutcome::NotDone("Not finished: the turn was cancelled".to_owned()), None),
            _ => (CallOutcome::failed(text), None),
        };
        CallRun { usage, halt, waits, failed, ..outcome.into() }
    }

    /// What the sub-agent gets from this turn.
    fn asker(&self, agent: &SubAgent, call: &ToolCall, given: &ToolInput) -> Result<Asker, ConfigError> {
        let mut asker = Asker::default();
        if agent.is_gated {
            let Asker { gates, gated_by, .. } = self.session.asker.clone();
            asker = Asker { gates, gated_by, ..asker };
            asker.gated(&self.session.harness, &self.session.agent, self.asked.prompt.as_ref())?;
        }
        let own = AgentCall {
            conversation: self.session.conversation.clone(),
            call: call.id.clone(),
            input: given.clone(),
            contexts: self.calls.contexts.clone(),
        };
        Ok(Asker {
            budget: Some(Arc::clone(&self.budget)),
            tools: self.model.tools.clone(),
            allowed: self.model.allowed.clone(),
            prompt: self.prompt_of_person(),
            root: Some(self.session.root()),
            callers: self.session.asker.callers.iter().cloned().chain([own]).collect(),
            ..asker
        })
    }

    /// Adds the contexts for results to the request for which an agent waits, so that a resumed turn has them.
    pub(super) async fn keep_contexts(&mut self) -> Result<(), StoreError> {
        let (conversation, contexts) = (&self.session.conversation, &self.calls.contexts);
        let Some(request) = &mut self.calls.wait_for else { return Ok(()) };
        let own = request.callers.iter_mut().find(|call| call.conversation == *conversation);
        let Some(own) = own.filter(|own| own.contexts != *contexts) else { return Ok(()) };
        own.contexts.clone_from(contexts);
        let request = request.clone();
        let update = async { self.session.harness.approver.update(&request).await };
        self.by_approver("updated", update).await
    }

    /// A name that no conversation has yet. After a compaction removed an earlier call, a model can reuse the id of
    /// that call.
    async fn fresh(&self, name: String) -> Result<String, StoreError> {
        let mut number = 1;
        while !self.session.harness.store.page(&numbered(&name, number), None, 1).await?.rows.is_empty() {
            number += 1;
        }
        Ok(numbered(&name, number))
    }
}

/// The result of a call to an agent whose turn could not start. The calling model gets only the text that is meant for
/// a person, without details of the error, because its answer may repeat the text.
fn unasked(error: impl Into<TurnError>) -> CallRun {
    let error = error.into();
    tracing::warn!(target: "hooks_agent", %error, "an agent could not be asked");
    CallOutcome::failed(Outcome::Failed(error).to_string()).into()
}

fn prompt_of(input: &ToolInput) -> Option<&str> {
    input.get("prompt")?.as_str()
}
