//! Turns, model calls and tools of `hooks-agent`.

mod model;
mod tool;
mod turn;

pub use model::TracedModel;
pub use tool::TracedTool;

use std::time::Instant;

use hook_sdk::data::Usage;
use opentelemetry::global::BoxedSpan;
use opentelemetry::metrics::Histogram;
use opentelemetry::trace::{Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};

use crate::names::{ERROR_TYPE, agent};

/// A turn, a model call or a run of a tool, with its span. Both end when this is dropped, so that one that panics, is cancelled
/// or exceeds a time limit is told as well.
struct Traced<'a> {
    cx: Context,
    start: Instant,
    durations: &'a Histogram<f64>,
    /// The attributes of the duration.
    names: Vec<KeyValue>,
    /// Why it failed, as a word.
    error: Option<&'static str>,
}

impl<'a> Traced<'a> {
    fn new(parent: &Context, span: BoxedSpan, durations: &'a Histogram<f64>, names: Vec<KeyValue>) -> Self {
        Self { cx: parent.with_span(span), start: Instant::now(), durations, names, error: Some("dropped") }
    }
}

impl Drop for Traced<'_> {
    fn drop(&mut self) {
        let (span, error) = (self.cx.span(), if std::thread::panicking() { Some("panicked") } else { self.error });
        if let Some(error) = error {
            let pair = KeyValue::new(ERROR_TYPE, error);
            span.set_attribute(pair.clone());
            span.set_status(Status::error(error));
            self.names.push(pair);
        }
        span.end();
        self.durations.record(self.start.elapsed().as_secs_f64(), &self.names);
    }
}

fn integer(name: &'static str, number: impl TryInto<i64>) -> KeyValue {
    KeyValue::new(name, number.try_into().unwrap_or(i64::MAX))
}

/// The tokens of a call or a turn.
fn tokens(usage: &Usage) -> impl Iterator<Item = KeyValue> {
    agent::tokens(usage).map(|(name, tokens)| integer(name, tokens))
}
