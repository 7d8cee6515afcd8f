//! Metrics. Their attributes have few values: no conversation, no reason.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hook_sdk::HookId;
use hook_sdk::record::{Record, Run, RunEnd};
use opentelemetry::metrics::{Counter, Histogram, Meter};
use opentelemetry::{KeyValue, Value};

use crate::names::{ERROR_TYPE, hook};
use crate::told::{is_failure, note, status};

/// The bounds of a hook's durations in seconds: most hooks take microseconds, the slowest wait for a server.
const BOUNDS: [f64; 12] = [1e-6, 1e-5, 1e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// More ids than a program has hooks.
const MOST_IDS: usize = 4_096;

#[derive(Debug)]
pub(crate) struct Metrics {
    dispatches: Histogram<f64>,
    runs: Histogram<f64>,
    decisions: Counter<u64>,
    failures: Counter<u64>,
    /// The ids of hooks as values, made once: otherwise each would be an allocation per decision.
    ids: RwLock<HashMap<HookId, Arc<str>>>,
    #[cfg(feature = "agent")]
    pub(crate) agent: AgentMetrics,
}

/// The metrics of the conventions, for turns, model calls and tools.
#[cfg(feature = "agent")]
#[derive(Debug)]
pub(crate) struct AgentMetrics {
    pub(crate) calls: Histogram<f64>,
    pub(crate) tokens: Histogram<u64>,
    pub(crate) turns: Histogram<f64>,
    pub(crate) tools: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let count = |name, unit, what| meter.u64_counter(name).with_unit(unit).with_description(what).build();
        let seconds = |name, what, bounds: &[f64]| {
            let durations = meter.f64_histogram(name).with_unit("s").with_description(what);
            durations.with_boundaries(bounds.to_vec()).build()
        };
        Self {
            dispatches: seconds("hook.dispatch.duration", "Duration of dispatches in which a hook ran.", &BOUNDS),
            runs: seconds(
                "hook.run.duration",
                "Duration of detached runs and of attempts of background runs.",
                &BOUNDS,
            ),
            decisions: count("hook.decisions", "{decision}", "Verdicts of hooks."),
            failures: count("hook.failures", "{failure}", "Runs of hooks that failed."),
            ids: RwLock::default(),
            #[cfg(feature = "agent")]
            agent: {
                // The bounds that the conventions recommend.
                let growing = |first: f64, factor: f64, most| -> Vec<f64> {
                    (0..most).map(|power| first * factor.powi(power)).collect()
                };
                let (calls, turns, sizes) = (growing(0.01, 2.0, 14), growing(0.1, 2.0, 13), growing(1.0, 4.0, 14));
                let tokens = meter.u64_histogram("gen_ai.client.token.usage").with_unit("{token}");
                let tokens = tokens.with_description("Number of input and output tokens used.");
                AgentMetrics {
                    calls: seconds("gen_ai.client.operation.duration", "GenAI operation duration.", &calls),
                    tokens: tokens.with_boundaries(sizes).build(),
                    turns: seconds("gen_ai.invoke_agent.duration", "Duration of a turn of an agent.", &turns),
                    tools: seconds("gen_ai.execute_tool.duration", "Duration of a run of a tool.", &calls),
                }
            },
        }
    }

    pub(crate) fn dispatched(&self, record: &Record) {
        let kind = KeyValue::new(hook::KIND, record.kind);
        let verdict = KeyValue::new(hook::VERDICT, record.verdict.unwrap_or_default());
        let attributes = [kind.clone(), verdict];
        self.dispatches.record(record.duration.as_secs_f64(), &attributes[..=usize::from(record.verdict.is_some())]);
        for run in &record.runs {
            // An answer without effect, such as that of a hook in shadow mode, is told apart.
            let note = KeyValue::new(hook::NOTE, run.note.map(note).unwrap_or_default());
            let count = |counter: &Counter<u64>, what| {
                let attributes = [kind.clone(), self.id(run), what, note.clone()];
                counter.add(1, &attributes[..3 + usize::from(run.note.is_some())]);
            };
            if let Some(verdict) = run.verdict {
                count(&self.decisions, KeyValue::new(hook::VERDICT, verdict));
            }
            if let Some(error) = error(run) {
                count(&self.failures, error);
            }
        }
    }

    pub(crate) fn ended(&self, ended: &RunEnd) {
        let (run, kind) = (&ended.run, KeyValue::new(hook::KIND, ended.kind.clone()));
        let mode = KeyValue::new(hook::MODE, ended.mode.as_str());
        let status = KeyValue::new(hook::STATUS, status(run.status));
        let took = run.duration.unwrap_or_default().as_secs_f64();
        self.runs.record(took, &[kind.clone(), self.id(run), mode, status]);
        if let Some(error) = error(run) {
            self.failures.add(1, &[kind, self.id(run), error]);
        }
    }

    fn id(&self, run: &Run) -> KeyValue {
        let known = self.ids.read().unwrap_or_else(PoisonError::into_inner).get(&run.hook).cloned();
        let id = known.unwrap_or_else(|| {
            let id: Arc<str> = run.hook.as_str().into();
            let mut known = self.ids.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() < MOST_IDS {
                known.insert(run.hook.clone(), Arc::clone(&id));
            }
            id
        });
        KeyValue::new(hook::ID, Value::from(id))
    }
}

fn error(run: &Run) -> Option<KeyValue> {
    Some(status(run.status)).filter(|status| is_failure(status)).map(|error| KeyValue::new(ERROR_TYPE, error))
}
