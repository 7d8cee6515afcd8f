//! Starts spans, unless nobody makes them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use opentelemetry::Context;
use opentelemetry::global::{BoxedSpan, BoxedTracer};
use opentelemetry::trace::{Link, Span, SpanBuilder, SpanContext, Status, TraceContextExt, Tracer};

use crate::told::Told;

/// The tracer of the app.
#[derive(Debug)]
pub(crate) struct Tracing {
    tracer: BoxedTracer,
    /// Whether the tracer turned out to make no spans. Asking it again would allocate.
    is_silent: AtomicBool,
}

impl Tracing {
    pub(crate) fn new(tracer: BoxedTracer) -> Self {
        Self { tracer, is_silent: AtomicBool::new(false) }
    }

    /// Whether nobody makes spans, as far as is known.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Starts a span. `None` if nobody makes spans.
    pub(crate) fn start(&self, parent: &Context, span: impl FnOnce() -> SpanBuilder) -> Option<BoxedSpan> {
        if self.is_silent() || parent.is_telemetry_suppressed() {
            return None;
        }
        let span = self.tracer.build_with_context(span(), parent);
        // A tracer without a provider returns the parent, or no span.
        if span.span_context().span_id() == parent.span().span_context().span_id() {
            self.is_silent.store(true, Ordering::Relaxed);
            return None;
        }
        Some(span)
    }

    /// Makes a span that has ended.
    pub(crate) fn tell(&self, parent: &Context, told: Told, link: Option<SpanContext>) -> Option<SpanContext> {
        let (start, end) = (UNIX_EPOCH + told.at, UNIX_EPOCH + told.at + told.took);
        let links = link.map(Link::with_context).into_iter().collect();
        let begin = || {
            let span = SpanBuilder::from_name(told.name).with_kind(told.kind).with_start_time(start);
            span.with_attributes(told.attributes).with_links(links)
        };
        let mut span = self.start(parent, begin)?;
        if let Some(error) = told.error {
            span.set_status(Status::error(String::from(error)));
        }
        span.end_with_timestamp(end);
        Some(span.span_context().clone())
    }
}
