//! What the app registers.

use std::sync::Arc;

use opentelemetry::global::{BoxedTracer, ObjectSafeTracerProvider};
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::{InstrumentationScope, global};

use crate::links::{Links, Parents};
use crate::metrics::Metrics;
use crate::told::{self, Kinds, Wanted};
use crate::tracing::Tracing;

/// Spans and metrics of hooks. Register it with [`Registry::observe`](hook_sdk::Registry::observe); clones share what they know.
#[derive(Clone, Debug)]
pub struct Telemetry {
    pub(crate) shared: Arc<Shared>,
    pub(crate) provider: Option<Arc<str>>,
    pub(crate) wanted: Wanted,
}

/// What clones share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) tracing: Tracing,
    pub(crate) metrics: Metrics,
    /// The turns that asked, for those that continue them.
    #[cfg(feature = "agent")]
    pub(crate) asked: Links,
    /// The dispatches that started runs, for the ends of these.
    pub(crate) launched: Links,
    pub(crate) parents: Parents,
    pub(crate) kinds: Kinds,
}

impl Telemetry {
    /// Uses the global providers of the app, which it has to set before. Without them, nothing is made, and a dispatch allocates nothing.
    pub fn global() -> Self {
        Self::of(global::tracer_with_scope(scope()), &global::meter_with_scope(scope()))
    }

    /// Uses these providers.
    pub fn new(tracers: &impl ObjectSafeTracerProvider, meters: &impl MeterProvider) -> Self {
        Self::of(BoxedTracer::new(tracers.boxed_tracer(scope())), &meters.meter_with_scope(scope()))
    }

    fn of(tracer: BoxedTracer, meter: &Meter) -> Self {
        let shared = Shared {
            tracing: Tracing::new(tracer),
            metrics: Metrics::new(meter),
            #[cfg(feature = "agent")]
            asked: Links::default(),
            launched: Links::default(),
            parents: Parents::default(),
            kinds: told::kinds(),
        };
        let opted = std::env::var("OTEL_SEMCONV_STABILITY_OPT_IN").unwrap_or_default();
        let guardrails = opted.split(',').any(|name| name.trim() == "gen_ai_latest_experimental");
        Self {
            shared: Arc::new(shared),
            provider: None,
            wanted: Wanted { guardrails, failures: false, viewers: false },
        }
    }

    /// Sets `gen_ai.provider.name`, such as `anthropic` or `openai`, which the conventions require of turns and model calls.
    #[must_use]
    pub fn provider(mut self, name: impl Into<Arc<str>>) -> Self {
        self.provider = Some(name.into());
        self
    }

    /// Whether gates also get the attributes `gen_ai.guardrail.*`, which still move. By default, the environment variable
    /// `OTEL_SEMCONV_STABILITY_OPT_IN` decides: yes with `gen_ai_latest_experimental`.
    #[must_use]
    pub fn guardrails(mut self, yes: bool) -> Self {
        self.wanted.guardrails = yes;
        self
    }

    /// Whether spans also have the texts of errors and panics of hooks, `hook.failure`. Secrets are removed from them, but they may
    /// quote a payload. By default, spans have only `error.type`, and the log has the text.
    #[must_use]
    pub fn failures(mut self, yes: bool) -> Self {
        self.wanted.failures = yes;
        self
    }

    /// Whether spans also name their kind for Phoenix (`openinference.span.kind`) and Langfuse (`langfuse.observation.type`).
    #[must_use]
    pub fn viewers(mut self, yes: bool) -> Self {
        self.wanted.viewers = yes;
        self
    }
}

fn scope() -> InstrumentationScope {
    InstrumentationScope::builder(env!("CARGO_PKG_NAME")).with_version(env!("CARGO_PKG_VERSION")).build()
}
