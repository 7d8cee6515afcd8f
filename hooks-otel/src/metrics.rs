//! Metrics. Their attributes have few values: no conversation, no reason.

#[cfg(feature = "agent")]
pub(crate) mod agent;

use std::time::Duration;

use hook_sdk::record::{Record, Run, RunEnd};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};

use crate::ids::Ids;
use crate::names::{ERROR_TYPE, hook};
use crate::status;

/// The bounds of a hook's durations in seconds: most hooks take microseconds, the slowest wait for a server.
const BOUNDS: [f64; 12] = [1e-6, 1e-5, 1e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug)]
pub(crate) struct Metrics {
    dispatches: Histogram<f64>,
    runs: Histogram<f64>,
    decisions: Counter<u64>,
    failures: Counter<u64>,
    #[cfg(feature = "agent")]
    pub(crate) agent: agent::AgentMetrics,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name, what| {
            let durations = meter.f64_histogram(name).with_unit("s").with_description(what);
            durations.with_boundaries(BOUNDS.to_vec()).build()
        };
        let count = |name, unit, what| meter.u64_counter(name).with_unit(unit).with_description(what).build();
        Self {
            dispatches: seconds(hook::DISPATCH_DURATION, "Duration of dispatches in which a hook ran."),
            runs: seconds(hook::RUN_DURATION, "Duration of detached runs and of attempts of background runs."),
            decisions: count(hook::DECISIONS, "{decision}", "Verdicts of hooks."),
            failures: count(hook::FAILURES, "{failure}", "Runs of hooks that failed."),
            #[cfg(feature = "agent")]
            agent: agent::AgentMetrics::new(meter),
        }
    }

    pub(crate) fn dispatched(&self, record: &Record, ids: &Ids) {
        let id = |run: &Run| KeyValue::new(hook::ID, ids.value(&run.hook));
        let kind = KeyValue::new(hook::KIND, record.kind);
        let verdict = KeyValue::new(hook::VERDICT, record.verdict.unwrap_or_default());
        let attributes = [kind.clone(), verdict];
        self.dispatches.record(record.duration.as_secs_f64(), &attributes[..=usize::from(record.verdict.is_some())]);
        for run in &record.runs {
            // An answer without effect, such as that of a hook in shadow mode, is told apart.
            let note = KeyValue::new(hook::NOTE, run.note.map(status::note).unwrap_or_default());
            let count = |counter: &Counter<u64>, what| {
                let attributes = [kind.clone(), id(run), what, note.clone()];
                counter.add(1, &attributes[..3 + usize::from(run.note.is_some())]);
            };
            if let Some(verdict) = run.verdict {
                count(&self.decisions, KeyValue::new(hook::VERDICT, verdict));
            }
            if let Some(error) = status::error(run.status) {
                count(&self.failures, KeyValue::new(ERROR_TYPE, error));
            }
        }
    }

    pub(crate) fn ended(&self, ended: &RunEnd, ids: &Ids) {
        let (kind, hook) =
            (KeyValue::new(hook::KIND, ended.kind.clone()), KeyValue::new(hook::ID, ids.value(&ended.run.hook)));
        let mode = KeyValue::new(hook::MODE, ended.mode.as_str());
        let status = KeyValue::new(hook::STATUS, status::status(ended.run.status));
        let took = ended.run.duration.unwrap_or(Duration::ZERO).as_secs_f64();
        self.runs.record(took, &[kind.clone(), hook.clone(), mode, status]);
        if let Some(error) = status::error(ended.run.status) {
            self.failures.add(1, &[kind, hook, KeyValue::new(ERROR_TYPE, error)]);
        }
    }
}
