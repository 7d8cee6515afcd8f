//! What a replay sees of its dispatches.

use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::record::{Observer, Record, Trace};

use crate::line::DispatchLine;

/// Keeps the lines of the dispatches since they were last taken.
#[derive(Clone, Default)]
pub(crate) struct Capture(Arc<Mutex<Vec<DispatchLine>>>);

impl Capture {
    /// The lines; the last one is that of the outermost dispatch.
    pub(crate) fn take(&self) -> Vec<DispatchLine> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Capture {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(DispatchLine::of(trace));
    }
}
