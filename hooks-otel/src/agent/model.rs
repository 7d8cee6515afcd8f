use std::sync::Arc;

use hook_sdk::hook::BoxFuture;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use opentelemetry::trace::{FutureExt, SpanBuilder, SpanKind, TraceContextExt};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};

use super::{Traced, integer, tokens};
use crate::names::{CONVERSATION, PROVIDER, agent, operation};
use crate::telemetry::Telemetry;

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
        Box::pin(async move {
            let (shared, parent) = (&self.telemetry.shared, Context::current());
            let Some(span) = shared.tracing.start(&parent, || self.span(call)) else {
                return self.model.call(call, deltas).await;
            };
            let mut traced = Traced::new(&parent, span, &shared.metrics.agent.calls, self.names());
            let answer = self.model.call(call, deltas).with_context(traced.cx.clone()).await;
            traced.error = answer.as_ref().err().map(of_error);
            if let Ok(answer) = &answer {
                traced.cx.span().set_attributes(of_answer(answer));
                traced.names.extend(of_model(answer));
                self.count(answer, traced.names.clone());
            }
            answer
        })
    }
}

impl<M> TracedModel<M> {
    fn span(&self, call: &ModelCall) -> SpanBuilder {
        let mut attributes = self.names();
        attributes.push(KeyValue::new(CONVERSATION, call.conversation.clone()));
        attributes.extend(call.max_tokens.map(|most| integer(agent::MAX_TOKENS, most)));
        attributes.extend(call.temperature.map(|temperature| KeyValue::new(agent::TEMPERATURE, temperature)));
        attributes.extend(call.output_schema.as_ref().map(|_| KeyValue::new(agent::OUTPUT_TYPE, "json")));
        self.telemetry.add_viewers(&mut attributes, "LLM", "generation");
        let span = SpanBuilder::from_name(format!("{} {}", operation::CHAT, self.name)).with_kind(SpanKind::Client);
        span.with_attributes(attributes)
    }

    /// The attributes of spans and metrics.
    fn names(&self) -> Vec<KeyValue> {
        let mut names = vec![KeyValue::new(operation::NAME, operation::CHAT)];
        names.extend(self.telemetry.provider.clone().map(|name| KeyValue::new(PROVIDER, name)));
        names.push(KeyValue::new(agent::REQUEST_MODEL, Arc::clone(&self.name)));
        names
    }

    fn count(&self, answer: &ModelAnswer, mut names: Vec<KeyValue>) {
        let Some(usage) = answer.usage else { return };
        for (direction, tokens) in [("input", usage.input), ("output", usage.output)] {
            names.push(KeyValue::new(agent::TOKEN_TYPE, direction));
            self.telemetry.shared.metrics.agent.tokens.record(tokens, &names);
            names.pop();
        }
    }
}

fn of_model(answer: &ModelAnswer) -> Option<KeyValue> {
    (!answer.model.is_empty()).then(|| KeyValue::new(agent::RESPONSE_MODEL, answer.model.clone()))
}

fn of_answer(answer: &ModelAnswer) -> Vec<KeyValue> {
    let reasons = vec![StringValue::from(answer.stop_reason.clone())];
    let mut attributes = vec![KeyValue::new(agent::FINISH_REASONS, Value::Array(Array::String(reasons)))];
    attributes.extend(of_model(answer));
    attributes.extend(answer.usage.iter().flat_map(tokens));
    attributes
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
