//! Captures the dispatches of a replay.

use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::record::{Observer, Record, Trace};

/// Keeps the dispatches since the last call of [`take`](Self::take).
#[derive(Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Vec<Trace>>>);

impl Capture {
    /// Takes the dispatches. The last one is the outermost.
    pub(crate) fn take(&self) -> Vec<Trace> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Capture {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(trace.clone());
    }
}
