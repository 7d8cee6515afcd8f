//! How a hook fails, and what is done about it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::HookId;
pub use crate::text::CAUSE_LIMIT;
use crate::words::closed_words;

/// How a hook failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked: when called, when polled, or when something of it was dropped.
    Panicked,
    /// It was not done at its deadline.
    TimedOut,
    /// What it left broke a rule of the kind.
    Violation,
    /// It contributed something that its `capabilities` do not name.
    CapabilityMissing,
}

impl FailureKind {
    /// The code to search logs for.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Error => "hook.error",
            Self::Panicked => "hook.panicked",
            Self::TimedOut => "hook.timeout",
            Self::Violation => "hook.rule_broken",
            Self::CapabilityMissing => "hook.capability_missing",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Panicked => "panic",
            Self::TimedOut => "timeout",
            Self::Violation => "rule broken",
            Self::CapabilityMissing => "capability missing",
        })
    }
}

/// A hook that failed: its changes were dropped, and its `on_failure` said how to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The hook.
    pub hook: HookId,
    /// The kind that was fired.
    pub kind: &'static str,
    /// How it failed.
    pub failure: FailureKind,
    /// What it said, at most [`CAUSE_LIMIT`] characters.
    pub cause: String,
    /// What was done, unless its fallback answered.
    pub on_failure: OnFailure,
    /// Whether its fallback answered in its place.
    pub fell_back: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook `{}` at `{}` failed ({}): {}", self.hook, self.kind, self.failure, self.cause)
    }
}

closed_words! {
    /// What is done when a hook fails, panics, or takes too long. Its changes are dropped in any case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum OnFailure {
        /// The dispatch goes on without it.
        Continue = "continue",
        /// The subject is removed (kinds that allow removal).
        Remove = "remove",
        /// The answer is a refusal (gates).
        Deny = "deny",
        /// The dispatch returns an error.
        Required = "required",
    }
}
