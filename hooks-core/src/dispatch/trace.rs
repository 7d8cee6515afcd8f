//! Collects the payload of a dispatch for its trace. It exists only if an observer wants traces.

use std::sync::Arc;

use serde_json::Value;

use crate::context::depth;
use crate::data::MessagePool;
use crate::kind::{HookKind, Wire};
use crate::panics::catch;
use crate::plan::Plan;
use crate::record::{Observer, Record, RunTrace, Trace, tell};
use crate::text::redacted;

/// The subject and the answers of an active dispatch as JSON. They are serialized at once, because a hook may later
/// change what is behind an `Arc`.
pub(super) struct Payload<K: HookKind> {
    /// The functions that serialize it.
    wire: Wire<K>,
    pool: MessagePool,
    event: Arc<Value>,
    before: Arc<Value>,
    runs: Vec<RunTrace>,
}

impl<K: HookKind> Payload<K> {
    /// The payload before the first hook; `None` if it cannot be serialized.
    pub(super) fn new(plan: &Plan<K>, event: &K, subject: &K::Subject) -> Option<Self> {
        let (wire, mut pool) = (K::WIRE?(), MessagePool::default());
        let event = written(&mut pool, wire.write_event, event)?.into();
        let before = written(&mut pool, wire.write_subject, subject)?.into();
        let runs = plan.steps.iter();
        let runs = runs.map(|step| RunTrace { revision: step.revision, stage: step.stage, ..RunTrace::default() });
        Some(Self { wire, pool, event, before, runs: runs.collect() })
    }

    /// Records the subject after a hook's change.
    pub(super) fn changed(&mut self, index: usize, subject: &K::Subject) {
        self.runs[index].after = written(&mut self.pool, self.wire.write_subject, subject).map(Arc::new);
    }

    /// Reverts the note that the hook's change was committed.
    pub(super) fn unchanged(&mut self, index: usize) {
        let run = &mut self.runs[index];
        *run = RunTrace { revision: run.revision, stage: run.stage, ..RunTrace::default() };
    }

    /// Records a hook's decision.
    pub(super) fn decided(&mut self, index: usize, verdict: &K::Verdict) {
        self.runs[index].verdict = written(&mut self.pool, self.wire.write_verdict, verdict).unwrap_or_default().into();
    }

    /// Passes the trace to the observers that want it. A dispatch with an error has no verdict.
    pub(super) fn give(
        self,
        replay: bool,
        record: &Arc<Record>,
        verdict: &K::Verdict,
        error: Option<String>,
        observers: &[Arc<dyn Observer>],
    ) {
        let Self { wire, mut pool, event, before, runs } = self;
        let verdict = if error.is_none() { written(&mut pool, wire.write_verdict, verdict) } else { None };
        let depth = depth::depth().saturating_sub(1);
        let (record, pool, verdict) = (Arc::clone(record), Arc::new(pool), Arc::new(verdict.unwrap_or_default()));
        let kind = record.kind;
        let trace = Trace { record, replay, depth, pool, event, before, runs, verdict, error };
        tell(kind, observers, |observer| {
            if observer.traces() {
                observer.traced(&trace);
            }
        });
    }
}

/// Whether an observer wants traces.
pub(super) fn is_wanted(observers: &[Arc<dyn Observer>]) -> bool {
    observers.iter().any(|observer| catch(|| observer.traces()).unwrap_or(false))
}

/// Serializes a value with the app's code; `None` if that fails or panics.
fn written<T>(pool: &mut MessagePool, write: fn(&T) -> Result<Value, serde_json::Error>, value: &T) -> Option<Value> {
    match catch(|| pool.within(|| write(value))) {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            tracing::warn!(target: "hook_sdk", error = redacted(&error.to_string()), "a payload cannot be serialized as JSON");
            None
        }
        Err(panic) => {
            tracing::warn!(target: "hook_sdk", panic = redacted(&panic), "serializing a payload as JSON panicked");
            None
        }
    }
}
