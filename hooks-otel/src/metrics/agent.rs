//! Metrics of turns, model calls and tools.

use opentelemetry::metrics::{Histogram, Meter};

use crate::names::agent;

/// The bounds that the conventions recommend, in seconds.
const SECONDS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// The same for turns.
const TURNS: [f64; 13] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];

/// The metrics of the conventions.
#[derive(Debug)]
pub(crate) struct AgentMetrics {
    pub(crate) calls: Histogram<f64>,
    pub(crate) tokens: Histogram<u64>,
    pub(crate) turns: Histogram<f64>,
    pub(crate) tools: Histogram<f64>,
}

impl AgentMetrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name, what, bounds: &[f64]| {
            let durations = meter.f64_histogram(name).with_unit("s").with_description(what);
            durations.with_boundaries(bounds.to_vec()).build()
        };
        let tokens = meter.u64_histogram(agent::TOKENS).with_unit("{token}");
        // The bounds that the conventions recommend for tokens: the powers of four up to 4^13.
        let bounds = (0..14).map(|power| 4_f64.powi(power)).collect();
        let tokens = tokens.with_description("Number of input and output tokens used.").with_boundaries(bounds);
        Self {
            calls: seconds(agent::CALL_DURATION, "GenAI operation duration.", &SECONDS),
            tokens: tokens.build(),
            turns: seconds(agent::TURN_DURATION, "Duration of a turn of an agent.", &TURNS),
            tools: seconds(agent::TOOL_DURATION, "Duration of a run of a tool.", &SECONDS),
        }
    }
}
