//! What is told of a turn, a model call and a run of a tool, of those that have just ended as of those of a recording.

use hook_sdk::data::Usage;
#[cfg(feature = "agent")]
use opentelemetry::trace::SpanBuilder;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Array, KeyValue, StringValue, Value};

use crate::names::OPERATION;
use crate::told::{Wanted, number, some, table};

pub(crate) const TOOL: &str = "gen_ai.tool.name";
pub(crate) const TOOL_CALL: &str = "gen_ai.tool.call.id";

/// An operation of the conventions.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    name: &'static str,
    pub(crate) kind: SpanKind,
    /// The kind of its spans for two viewers.
    openinference: &'static str,
    langfuse: &'static str,
}

pub(crate) const INVOKE_AGENT: Operation =
    Operation { name: "invoke_agent", kind: SpanKind::Internal, openinference: "AGENT", langfuse: "agent" };
pub(crate) const CHAT: Operation =
    Operation { name: "chat", kind: SpanKind::Client, openinference: "LLM", langfuse: "generation" };
pub(crate) const EXECUTE_TOOL: Operation =
    Operation { name: "execute_tool", kind: SpanKind::Internal, openinference: "TOOL", langfuse: "tool" };

impl Operation {
    /// The name of its span.
    pub(crate) fn span(&self, what: &str) -> String {
        format!("{} {what}", self.name).trim_end().to_owned()
    }

    #[cfg(feature = "agent")]
    pub(crate) fn begin(&self, what: &str) -> SpanBuilder {
        SpanBuilder::from_name(self.span(what)).with_kind(self.kind.clone())
    }

    pub(crate) fn attribute(&self) -> KeyValue {
        KeyValue::new(OPERATION, self.name)
    }

    pub(crate) fn viewers(&self, wanted: Wanted) -> impl Iterator<Item = KeyValue> + use<> {
        wanted.viewers(self.openinference, self.langfuse)
    }
}

/// How a turn ended.
pub(crate) fn of_reply(exit: String, usage: Option<&Usage>) -> impl Iterator<Item = KeyValue> + use<> {
    tokens(usage).chain([KeyValue::new("hook.turn.exit", exit)])
}

/// What a model answered.
pub(crate) fn of_answer(model: Option<KeyValue>, reason: Option<String>, usage: Option<&Usage>) -> Vec<KeyValue> {
    let reasons = reason.map(|reason| Value::Array(Array::String(vec![StringValue::from(reason)])));
    table([("gen_ai.response.finish_reasons", reasons)]).chain(model).chain(tokens(usage)).collect()
}

/// The model that answered, if it says so.
pub(crate) fn of_model(name: &str) -> Option<KeyValue> {
    (!name.is_empty()).then(|| KeyValue::new("gen_ai.response.model", name.to_owned()))
}

pub(crate) fn of_call(id: Option<String>) -> impl Iterator<Item = KeyValue> {
    table([(TOOL_CALL, id.map(Value::from)), ("gen_ai.tool.type", some("function"))])
}

/// The tokens of a call or a turn. Providers without a cache report none of it.
fn tokens(usage: Option<&Usage>) -> impl Iterator<Item = KeyValue> + use<> {
    let usage = usage.copied();
    let of = |tokens: fn(&Usage) -> u64| usage.as_ref().map(tokens);
    let cached = |tokens| of(tokens).filter(|tokens| *tokens > 0);
    table([
        ("gen_ai.usage.input_tokens", of(|usage| usage.input).and_then(number)),
        ("gen_ai.usage.output_tokens", of(|usage| usage.output).and_then(number)),
        ("gen_ai.usage.cache_read.input_tokens", cached(|usage| usage.cache_read).and_then(number)),
        ("gen_ai.usage.cache_creation.input_tokens", cached(|usage| usage.cache_write).and_then(number)),
    ])
}
