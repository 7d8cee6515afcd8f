//! What a replay sees of its dispatches.

use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::record::{Observer, Record, Trace};

use crate::line::DispatchLine;

/// Keeps the dispatches since they were last taken.
#[derive(Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Vec<Trace>>>);

impl Capture {
    /// The lines; the last one is that of the outermost dispatch.
    pub(crate) fn take(&self) -> Vec<DispatchLine> {
        let traces = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        // The dispatches are over, and nobody else holds what they held.
        traces.into_iter().map(DispatchLine::of).collect()
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
