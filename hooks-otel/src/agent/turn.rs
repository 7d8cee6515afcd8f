use std::sync::Arc;

use hook_sdk::HookContext;
use hook_sdk::hook::BoxFuture;
use hooks_agent::{Outcome, Reply, TurnError};
use opentelemetry::trace::{FutureExt, Link, SpanBuilder, TraceContextExt};
use opentelemetry::{Context, KeyValue};

use super::{Traced, tokens};
use crate::names::{AGENT, CONVERSATION, PROVIDER, agent, operation};
use crate::telemetry::Telemetry;

impl Telemetry {
    /// For [`HarnessBuilder::around_turns`](hooks_agent::HarnessBuilder::around_turns): a span per turn, `invoke_agent {agent}`, with
    /// the turns of sub-agents in it. Dispatches, model calls and tools are its children. A turn that continues a suspended one of
    /// this process has a link to it.
    pub fn turns(
        &self,
    ) -> impl Fn(&HookContext, BoxFuture<'static, Reply>) -> BoxFuture<'static, Reply> + Send + Sync + 'static {
        let telemetry = self.clone();
        move |cx, turn| {
            let (telemetry, parent) = (telemetry.clone(), Context::current());
            let ids = [cx.agent(), cx.conversation()].map(|id| id.map(Arc::from));
            Box::pin(async move { telemetry.turn(&parent, ids, turn).await })
        }
    }

    async fn turn(
        &self,
        parent: &Context,
        [agent, conversation]: [Option<Arc<str>>; 2],
        turn: BoxFuture<'static, Reply>,
    ) -> Reply {
        let mut names = vec![KeyValue::new(operation::NAME, operation::INVOKE_AGENT)];
        names.extend(agent.clone().map(|name| KeyValue::new(AGENT, name)));
        let span = self.shared.tracing.start(parent, || {
            let mut attributes = names.clone();
            attributes.extend(conversation.clone().map(|id| KeyValue::new(CONVERSATION, id)));
            attributes.extend(self.provider.clone().map(|name| KeyValue::new(PROVIDER, name)));
            self.add_viewers(&mut attributes, "AGENT", "agent");
            let name =
                agent.as_ref().map_or(operation::INVOKE_AGENT.to_owned(), |agent| format!("invoke_agent {agent}"));
            let asked = self.shared.asked.get(conversation.as_deref()).map(Link::with_context);
            SpanBuilder::from_name(name).with_attributes(attributes).with_links(asked.into_iter().collect())
        });
        let Some(span) = span else { return turn.with_context(parent.clone()).await };
        self.shared.asked.forget(conversation.as_deref());
        let mut traced = Traced::new(parent, span, &self.shared.metrics.agent.turns, names);
        let reply = turn.with_context(traced.cx.clone()).await;
        traced.error = error(&reply.outcome);
        let span = traced.cx.span();
        span.set_attributes(tokens(&reply.usage).chain([KeyValue::new(agent::EXIT, reply.exit.to_string())]));
        if let Outcome::Suspended(request) = &reply.outcome {
            let id = KeyValue::new(agent::QUESTION_ID, request.id.clone());
            let call = KeyValue::new(agent::TOOL_CALL, request.call.id.clone());
            span.add_event(agent::QUESTION, vec![id, call]);
            self.shared.asked.keep(conversation.as_deref(), span.span_context());
        }
        reply
    }
}

/// Why a turn failed, as a word.
fn error(outcome: &Outcome) -> Option<&'static str> {
    let Outcome::Failed(error) = outcome else { return None };
    Some(match error {
        TurnError::Model(_) => "model",
        TurnError::Dispatch(_) => "required_hook",
        TurnError::Store(_) => "store",
        TurnError::Hooks(_) | TurnError::Plugins(_) | TurnError::NoProfile { .. } => "configuration",
        TurnError::Panicked(_) => "panicked",
        _ => "_OTHER",
    })
}
