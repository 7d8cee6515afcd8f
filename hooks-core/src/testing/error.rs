use crate::diagnostics::ConfigError;
use crate::dispatch::DispatchError;
use crate::tables::debug_as_display;
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

debug_as_display!(TrialError);
