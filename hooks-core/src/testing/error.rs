use std::fmt;

use crate::diagnostics::ConfigError;
use crate::dispatch::DispatchError;
use crate::worker::JobError;

/// Why a trial came to nothing.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The hooks cannot be in one scope.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The dispatch has no outcome: a required hook failed, the turn was cancelled, there was no runtime.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The job of a background hook could not be read again.
    #[error(transparent)]
    Job(#[from] JobError),
    /// There are no hooks, or one does not run at the kind that was fired: the test would have tested nothing.
    #[error("{0}")]
    TestsNothing(String),
}

impl fmt::Debug for TrialError {
    /// The words, because this is what a test that returns the error or unwraps it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
