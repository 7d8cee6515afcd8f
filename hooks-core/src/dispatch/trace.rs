//! Collects the payload of a dispatch for its trace. It exists only if an observer wants traces.

use std::sync::Arc;

use serde_json::Value;

use crate::context::depth;
use crate::data::MessagePool;
use crate::kind::{HookKind, Wire};
use crate::panics::catch;
use crate::plan::{Plan, Step};
use crate::record::{Observer, Record, Trace, TracedRun};
use crate::text::redacted;

/// The subject and the answers of an active dispatch as JSON. They are serialized at once, because a hook may later
/// change what is behind an `Arc`.
pub(super) struct Payload<K: HookKind> {
    wire: Wire<K>,
    pool: MessagePool,
    event: Arc<Value>,
    before: Arc<Value>,
    runs: Vec<TracedRun>,
}

impl<K: HookKind> Payload<K> {
    /// The payload before the first hook; `None` if no observer wants it or the kind cannot be serialized.
    pub(super) fn new(
        observers: &[Arc<dyn Observer>],
        event: &K,
        subject: &K::Subject,
        plan: &Plan<K>,
    ) -> Option<Self> {
        if !observers.iter().any(|observer| catch(|| observer.traces()).unwrap_or(false)) {
            return None;
        }
        let wire = K::WIRE?();
        let run = |step: &Step<K>| TracedRun { revision: step.revision, ..TracedRun::default() };
        let mut pool = MessagePool::default();
        let event = written(&mut pool, || (wire.write_event)(event))?.into();
        let before = written(&mut pool, || (wire.write_subject)(subject))?.into();
        Some(Self { wire, pool, event, before, runs: plan.steps.iter().map(run).collect() })
    }

    /// Records the subject after a hook's change.
    pub(super) fn changed(&mut self, index: usize, subject: &K::Subject) {
        self.runs[index].after = written(&mut self.pool, || (self.wire.write_subject)(subject)).map(Arc::new);
    }

    /// Reverts the note that the hook's change was committed.
    pub(super) fn unchanged(&mut self, index: usize) {
        let run = &mut self.runs[index];
        *run = TracedRun { revision: run.revision, ..TracedRun::default() };
    }

    /// Records a hook's decision.
    pub(super) fn decided(&mut self, index: usize, verdict: &K::Verdict) {
        let verdict = written(&mut self.pool, || (self.wire.write_verdict)(verdict));
        self.runs[index].verdict = verdict.unwrap_or_default().into();
    }

    /// Passes the trace to the observers that want it.
    pub(super) fn give(
        self,
        replay: bool,
        record: &Arc<Record>,
        outcome: Result<&K::Verdict, String>,
        observers: &[Arc<dyn Observer>],
    ) {
        let Self { wire, mut pool, event, before, runs } = self;
        let (verdict, error) = match outcome {
            Ok(verdict) => (written(&mut pool, || (wire.write_verdict)(verdict)).unwrap_or_default(), None),
            Err(error) => (Value::Null, Some(error)),
        };
        let depth = depth::depth().saturating_sub(1);
        let (record, pool, verdict) = (Arc::clone(record), Arc::new(pool), Arc::new(verdict));
        let trace = Trace { record, replay, depth, pool, event, before, runs, verdict, error };
        for observer in observers {
            if let Err(panic) = catch(|| {
                if observer.traces() {
                    observer.traced(&trace);
                }
            }) {
                tracing::error!(target: "hooks_core", kind = K::NAME, panic = redacted(&panic), "an observer panicked");
            }
        }
    }
}

/// Serializes a value with the app's code; `None` if that fails or panics.
fn written(pool: &mut MessagePool, write: impl FnOnce() -> Result<Value, serde_json::Error>) -> Option<Value> {
    match catch(|| pool.within(write)) {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            tracing::warn!(target: "hooks_core", error = redacted(&error.to_string()), "a payload cannot be serialized as JSON");
            None
        }
        Err(panic) => {
            tracing::warn!(target: "hooks_core", panic = redacted(&panic), "serializing a payload as JSON panicked");
            None
        }
    }
}
