use std::sync::Arc;

use hook_sdk::HookContext;
use hook_sdk::context::Ids;
use hook_sdk::hook::BoxFuture;
use hooks_agent::{Outcome, Reply, TurnError};
use opentelemetry::trace::{Link, TraceContextExt};
use opentelemetry::{Context, KeyValue, Value};

use super::{PROVIDER, Traced};
use crate::names::{AGENT, CONVERSATION};
use crate::operation::{INVOKE_AGENT, TOOL_CALL, of_reply};
use crate::telemetry::Telemetry;
use crate::told::table;

impl Telemetry {
    /// For [`HarnessBuilder::around_turns`](hooks_agent::HarnessBuilder::around_turns): a span per turn, `invoke_agent {agent}`, with
    /// the turns of sub-agents in it. Dispatches, model calls and tools are its children. A turn that continues a suspended one of
    /// this process has a link to it.
    pub fn turns(
        &self,
    ) -> impl Fn(&HookContext, BoxFuture<'static, Reply>) -> BoxFuture<'static, Reply> + Send + Sync + 'static {
        let telemetry = self.clone();
        move |cx, turn| {
            let (telemetry, parent, ids) = (telemetry.clone(), Context::current(), Arc::clone(cx.ids()));
            Box::pin(async move { telemetry.turn(parent, &ids, turn).await })
        }
    }

    async fn turn(&self, parent: Context, ids: &Ids, turn: BoxFuture<'static, Reply>) -> Reply {
        let (asked, conversation) = (&self.shared.asked, ids.conversation.as_deref());
        let begin = || {
            let agent = ids.agent.as_deref().unwrap_or_default();
            let own = table([
                (CONVERSATION, ids.conversation.clone().map(Value::from)),
                (PROVIDER, self.provider.clone().map(Value::from)),
            ]);
            let link = asked.take(conversation).map(Link::with_context);
            let span = INVOKE_AGENT.begin(agent).with_links(link.into_iter().collect());
            let span = span.with_attributes(own.chain(INVOKE_AGENT.viewers(self.wanted)));
            let name = table([(AGENT, ids.agent.clone().map(Value::from))]);
            (span, std::iter::once(INVOKE_AGENT.attribute()).chain(name).collect())
        };
        let tell = |traced: &mut Traced<'_>, reply: &Reply| {
            traced.error = error(&reply.outcome);
            let span = traced.cx.span();
            span.set_attributes(of_reply(reply.exit.to_string(), Some(&reply.usage)));
            match &reply.outcome {
                Outcome::Suspended(request) if span.span_context().is_valid() => {
                    let id = KeyValue::new("hook.question.id", request.id.clone());
                    span.add_event("hook.question", vec![id, KeyValue::new(TOOL_CALL, request.call.id.clone())]);
                    asked.keep(conversation, span.span_context());
                }
                _ => {}
            }
        };
        self.traced(parent, &self.shared.metrics.agent.turns, begin, turn, tell).await
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
