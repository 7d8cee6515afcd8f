use std::fmt;

use crate::diagnostics::ConfigError;
use crate::dispatch::DispatchError;
use crate::id::HookId;
use crate::source::Origin;
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
    /// A hook does not run at the kind that was fired, so the test would have tested nothing.
    #[error(
        "the hook `{hook}` ({origin}) runs at `{kinds}`, and this trial fires `{fired}`; fire its kind, or leave it out"
    )]
    #[non_exhaustive]
    OtherKind {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// Its kinds.
        kinds: String,
        /// The kind that was fired.
        fired: &'static str,
    },
    /// There are no hooks.
    #[error("a trial of `{fired}` without hooks tests nothing; name some: `hooks![…]`")]
    #[non_exhaustive]
    NoHooks {
        /// The kind that was fired.
        fired: &'static str,
    },
}

impl fmt::Debug for TrialError {
    /// The words, because this is what a test that returns the error or unwraps it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
