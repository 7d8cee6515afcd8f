//! Turns, model calls and tools of `hooks-agent`.

mod model;
mod tool;
mod turn;

pub use model::TracedModel;
pub use tool::TracedTool;

use std::time::Instant;

use opentelemetry::metrics::Histogram;
use opentelemetry::trace::{FutureExt, SpanBuilder, Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};

use crate::names::ERROR_TYPE;
use crate::telemetry::Telemetry;

const PROVIDER: &str = "gen_ai.provider.name";

/// A turn, a model call or a run of a tool, with its span, if anybody makes spans. Both end when this is dropped, so that one that
/// panics, is cancelled or exceeds a time limit is told as well.
struct Traced<'a> {
    cx: Context,
    start: Instant,
    durations: &'a Histogram<f64>,
    /// The attributes of the duration.
    names: Vec<KeyValue>,
    /// Why it failed, as a word.
    error: Option<&'static str>,
}

impl Telemetry {
    /// Does some work within a span of its own, unless nobody makes spans. `begin` returns the span and what its duration has
    /// of its attributes, `tell` adds what came of the work.
    async fn traced<T>(
        &self,
        parent: Context,
        durations: &Histogram<f64>,
        begin: impl FnOnce() -> (SpanBuilder, Vec<KeyValue>),
        work: impl Future<Output = T>,
        tell: impl FnOnce(&mut Traced<'_>, &T),
    ) -> T {
        let (mut span, names) = begin();
        span.attributes.get_or_insert_default().extend_from_slice(&names);
        // Without a span, what came of the work is only counted: the current span is not that of the work.
        let (within, cx) = match self.shared.tracing.start(&parent, || span) {
            Some(span) => {
                let cx = parent.with_span(span);
                (cx.clone(), cx)
            }
            None => (parent, Context::new()),
        };
        let mut traced = Traced { cx, start: Instant::now(), durations, names, error: Some("dropped") };
        let output = work.with_context(within).await;
        tell(&mut traced, &output);
        output
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
