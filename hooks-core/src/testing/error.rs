use std::fmt;

use crate::diagnostics::ConfigError;
use crate::dispatch::DispatchError;
use crate::worker::JobError;

/// Why a trial has no result.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The hooks cannot be in one scope.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The dispatch has no outcome: for example, a required hook failed or the turn was cancelled.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The job of a background hook could not be parsed again.
    #[error(transparent)]
    Job(#[from] JobError),
    /// There are no hooks, or one does not run at the fired kind, so the test would test nothing.
    #[error("{0}")]
    TestsNothing(String),
}

impl fmt::Debug for TrialError {
    /// Prints the message, because a test that returns the error or unwraps it uses `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
