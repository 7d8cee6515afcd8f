//! Metrics of turns, model calls and tools.

use std::time::Instant;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter};

use crate::names::agent;

/// The bounds that the conventions recommend, in seconds.
const SECONDS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// The same for tokens.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

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
        let seconds = |name, what| {
            let durations = meter.f64_histogram(name).with_unit("s").with_description(what);
            durations.with_boundaries(SECONDS.to_vec()).build()
        };
        let tokens = meter.u64_histogram(agent::TOKENS).with_unit("{token}");
        let tokens =
            tokens.with_description("Number of input and output tokens used.").with_boundaries(TOKENS.to_vec());
        Self {
            calls: seconds(agent::CALL_DURATION, "GenAI operation duration."),
            tokens: tokens.build(),
            turns: seconds(agent::TURN_DURATION, "Duration of a turn of an agent."),
            tools: seconds(agent::TOOL_DURATION, "Duration of a run of a tool."),
        }
    }
}

/// Records the time since `start`.
pub(crate) fn took(durations: &Histogram<f64>, start: Instant, attributes: &[KeyValue]) {
    durations.record(start.elapsed().as_secs_f64(), attributes);
}
