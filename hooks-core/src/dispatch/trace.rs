//! Collects the payload of a dispatch for its trace. It exists only if an observer wants traces.

use std::sync::Arc;

use serde_json::Value;

use crate::context::depth;
use crate::data::MessagePool;
use crate::panics::catch;
use crate::record::{Observer, Record, RunTrace, Trace, tell};
use crate::text::redacted;

/// Serializes a value with the app's code.
pub(super) type Write<'a> = &'a dyn Fn() -> Result<Value, serde_json::Error>;

/// The subject and the answers of an active dispatch as JSON. They are serialized at once, because a hook may later
/// change what is behind an `Arc`.
pub(super) struct Payload {
    pool: MessagePool,
    event: Arc<Value>,
    before: Arc<Value>,
    runs: Vec<RunTrace>,
}

impl Payload {
    /// The payload before the first hook; `None` if it cannot be serialized.
    pub(super) fn new(event: Write<'_>, subject: Write<'_>, runs: Vec<RunTrace>) -> Option<Self> {
        let mut pool = MessagePool::default();
        let event = written(&mut pool, event)?.into();
        let before = written(&mut pool, subject)?.into();
        Some(Self { pool, event, before, runs })
    }

    /// Records the subject after a hook's change.
    pub(super) fn changed(&mut self, index: usize, subject: Write<'_>) {
        self.runs[index].after = written(&mut self.pool, subject).map(Arc::new);
    }

    /// Reverts the note that the hook's change was committed.
    pub(super) fn unchanged(&mut self, index: usize) {
        let run = &mut self.runs[index];
        *run = RunTrace { revision: run.revision, stage: run.stage, ..RunTrace::default() };
    }

    /// Records a hook's decision.
    pub(super) fn decided(&mut self, index: usize, verdict: Write<'_>) {
        self.runs[index].verdict = written(&mut self.pool, verdict).unwrap_or_default().into();
    }

    /// Passes the trace to the observers that want it. A dispatch with an error has no verdict.
    pub(super) fn give(
        self,
        replay: bool,
        record: &Arc<Record>,
        verdict: Write<'_>,
        error: Option<String>,
        observers: &[Arc<dyn Observer>],
    ) {
        let Self { mut pool, event, before, runs } = self;
        let verdict = if error.is_none() { written(&mut pool, verdict) } else { None }.unwrap_or_default();
        let depth = depth::depth().saturating_sub(1);
        let (record, pool, verdict) = (Arc::clone(record), Arc::new(pool), Arc::new(verdict));
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

/// Serializes a value; `None` if that fails or panics.
fn written(pool: &mut MessagePool, write: Write<'_>) -> Option<Value> {
    match catch(|| pool.within(write)) {
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
