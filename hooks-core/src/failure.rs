//! How a hook can fail, and what happens then.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::HookId;
use crate::words::closed_words;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The hook returned an error.
    Error,
    /// The hook panicked when it was called, polled or dropped.
    Panicked,
    /// The hook exceeded its timeout.
    TimedOut,
    /// The hook's change broke a rule of the kind: see [`HookKind::check`](crate::HookKind::check).
    Violation,
    /// The hook contributed something that its `capabilities` do not name.
    CapabilityMissing,
}

impl FailureKind {
    /// A stable code for logs, such as `hook.timeout`.
    pub const fn code(self) -> &'static str {
        self.names().0
    }

    /// The code, and the words for people.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("hook.error", "error"),
            Self::Panicked => ("hook.panicked", "panic"),
            Self::TimedOut => ("hook.timeout", "timeout"),
            Self::Violation => ("hook.rule_broken", "rule broken"),
            Self::CapabilityMissing => ("hook.capability_missing", "capability missing"),
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().1)
    }
}

/// The failure of a hook. Its changes were dropped, and its `on_failure` determined how the dispatch continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The id of the hook that failed.
    pub hook: HookId,
    /// The kind that was fired.
    pub kind: &'static str,
    /// The kind of the failure.
    pub failure: FailureKind,
    /// The error or panic message, truncated to 512 characters.
    pub cause: String,
    /// The policy that was applied, unless the fallback answered.
    pub on_failure: OnFailure,
    /// Whether the hook's fallback answered.
    pub fell_back: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook `{}` at `{}` failed ({}): {}", self.hook, self.kind, self.failure, self.cause)
    }
}

closed_words! {
    /// What happens when a hook fails, panics or times out. Its changes are dropped in any case.
    pub enum OnFailure {
        /// The dispatch continues without the hook.
        Continue = "continue",
        /// The subject is removed. Only for kinds that allow removal.
        Remove = "remove",
        /// The verdict is a denial. Only for gates.
        Deny = "deny",
        /// The dispatch returns [`DispatchError::Required`](crate::DispatchError::Required).
        Required = "required",
    }
}
