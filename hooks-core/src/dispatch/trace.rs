//! The payload of a dispatch while its trace is made. There is one only where an observer asks for it.

use std::sync::Arc;

use serde_json::Value;

use crate::context::depth;
use crate::data::MessagePool;
use crate::kind::{HookKind, Wire};
use crate::panics::catch;
use crate::plan::{Plan, Step};
use crate::record::{Observer, Record, Trace, TracedRun};
use crate::text::redacted;

/// The subject and the answers of a dispatch under way, as JSON: a hook may change what it holds behind an `Arc`.
pub(super) struct Payload<K: HookKind> {
    wire: Wire<K>,
    pool: MessagePool,
    event: Arc<Value>,
    before: Arc<Value>,
    runs: Vec<TracedRun>,
}

impl<K: HookKind> Payload<K> {
    /// The payload as it is before the first hook; `None` where nobody asks, or the kind cannot be written as JSON.
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

    /// Notes the subject after the change of a hook.
    pub(super) fn changed(&mut self, index: usize, subject: &K::Subject) {
        self.runs[index].after = written(&mut self.pool, || (self.wire.write_subject)(subject)).map(Arc::new);
    }

    /// Takes back that the hook's change was committed.
    pub(super) fn unchanged(&mut self, index: usize) {
        let run = &mut self.runs[index];
        *run = TracedRun { revision: run.revision, ..TracedRun::default() };
    }

    /// Notes what a hook decided.
    pub(super) fn decided(&mut self, index: usize, verdict: &K::Verdict) {
        let verdict = written(&mut self.pool, || (self.wire.write_verdict)(verdict));
        self.runs[index].verdict = verdict.unwrap_or_default().into();
    }

    /// Gives the trace to those who asked.
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

/// What an app's type writes of itself, unless it fails.
fn written(pool: &mut MessagePool, write: impl FnOnce() -> Result<Value, serde_json::Error>) -> Option<Value> {
    match catch(|| pool.within(write)) {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            tracing::warn!(target: "hooks_core", error = redacted(&error.to_string()), "a payload cannot be written as JSON");
            None
        }
        Err(panic) => {
            tracing::warn!(target: "hooks_core", panic = redacted(&panic), "writing a payload as JSON panicked");
            None
        }
    }
}
