//! How a hook continues a dispatch, and why a dispatch ends early.

use crate::failure::Failure;

/// How a chain continues after a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Flow {
    /// Continue with the next hook.
    Next,
    /// Run the fallback of the hook, which has failed.
    FallBack,
    Stop,
}

/// Why a chain ended before its last hook.
#[derive(Debug)]
pub(super) enum End {
    /// The hook with this index removed the subject.
    Removed(usize),
    /// The verdict is final.
    Decided,
    /// There is no outcome: a required hook failed, or a hook for which the app's own verdict could not deny.
    Required(Failure),
    /// There is no outcome: the turn was cancelled while this hook was waiting.
    Cancelled(usize),
    /// There is no outcome: this hook needs a timer, but the runtime has none.
    NoRuntime(usize),
}
