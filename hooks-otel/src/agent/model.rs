use std::sync::Arc;

use hook_sdk::hook::BoxFuture;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use opentelemetry::trace::TraceContextExt;
use opentelemetry::{Context, KeyValue, Value};

use super::{PROVIDER, Traced};
use crate::names::CONVERSATION;
use crate::operation::{CHAT, of_answer, of_model};
use crate::telemetry::Telemetry;
use crate::told::{number, some, table};

impl Telemetry {
    /// A model with a span per call, `chat {name}`. What the model does itself, such as a request, is in it.
    pub fn model<M: Model>(&self, name: impl Into<Arc<str>>, model: M) -> TracedModel<M> {
        TracedModel { telemetry: self.clone(), name: name.into(), model }
    }
}

/// A model with a span per call. Made by [`Telemetry::model`].
#[derive(Clone, Debug)]
pub struct TracedModel<M> {
    telemetry: Telemetry,
    name: Arc<str>,
    model: M,
}

impl<M: Model> Model for TracedModel<M> {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        let begin = || {
            let name = self.telemetry.provider.clone();
            let own = table([
                (CONVERSATION, some(call.conversation.clone())),
                ("gen_ai.request.max_tokens", call.max_tokens.and_then(number)),
                ("gen_ai.request.temperature", call.temperature.map(Value::from)),
                ("gen_ai.output.type", call.output_schema.as_ref().map(|_| "json".into())),
            ]);
            let span = CHAT.begin(&self.name).with_attributes(own.chain(CHAT.viewers(self.telemetry.wanted)));
            let names = table([(PROVIDER, name.map(Value::from)), ("gen_ai.request.model", some(self.name.clone()))]);
            (span, std::iter::once(CHAT.attribute()).chain(names).collect())
        };
        let metrics = &self.telemetry.shared.metrics.agent;
        let work = async { self.model.call(call, deltas).await };
        let tell = |traced: &mut Traced<'_>, answer: &Result<ModelAnswer, ModelError>| {
            traced.error = answer.as_ref().err().map(of_error);
            let Ok(answer) = answer else { return };
            let (model, reason) = (of_model(&answer.model), Some(answer.stop_reason.clone()));
            traced.cx.span().set_attributes(of_answer(model.clone(), reason, answer.usage.as_ref()));
            traced.names.extend(model);
            let tokens = answer.usage.map(|usage| [("input", usage.input), ("output", usage.output)]);
            for (direction, tokens) in tokens.into_iter().flatten() {
                traced.names.push(KeyValue::new("gen_ai.token.type", direction));
                metrics.tokens.record(tokens, &traced.names);
                traced.names.pop();
            }
        };
        Box::pin(async move { self.telemetry.traced(Context::current(), &metrics.calls, begin, work, tell).await })
    }
}

/// Why a model did not answer, as a word.
fn of_error(error: &ModelError) -> &'static str {
    match error {
        ModelError::Rejected(_) => "rejected",
        ModelError::Overflow(_) => "overflow",
        ModelError::RateLimited { .. } => "rate_limited",
        ModelError::Unavailable(_) => "unavailable",
        ModelError::Unanswered(_) => "unanswered",
        ModelError::Broken(_) => "broken",
        _ => "_OTHER",
    }
}
