use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::verdict::Semantics;

/// Whether a tool that failed runs again. The last hook that says something decides, so that an app's hook overrules one that
/// came with a plugin.
///
/// ```
/// use std::time::Duration;
///
/// use hooks_core::prelude::*;
/// use hooks_core::verdict::Retry;
///
/// #[hook(id = "again_when_offline", kind = after_tool_call_failure, tool = "search_*")]
/// fn again_when_offline(event: &AfterToolCallFailure) -> Retry {
///     if event.error.contains("offline") { Retry::after(Duration::from_secs(2)) } else { Retry::NoOpinion }
/// }
/// # use hooks_core::kinds::AfterToolCallFailure;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Retry {
    /// Nothing was said; the harness does what it does without hooks.
    #[default]
    NoOpinion,
    /// It does not run again.
    Never,
    /// It runs again after this time, with the same input; what hooks made of the failure is dropped. A harness honours this
    /// for tools that allow it, and a bounded number of times for a call.
    After(Duration),
}

impl Retry {
    /// The tool runs again after `wait`.
    pub fn after(wait: Duration) -> Self {
        Self::After(wait)
    }
}

impl From<()> for Retry {
    fn from((): ()) -> Self {
        Self::NoOpinion
    }
}

impl Verdict for Retry {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
    const MERGE_MAY_PANIC: bool = false;

    fn merge(&mut self, later: Self) {
        if later != Self::NoOpinion {
            *self = later;
        }
    }

    fn is_silent(&self) -> bool {
        *self == Self::NoOpinion
    }

    fn summary(&self) -> Option<&'static str> {
        match self {
            Self::NoOpinion => None,
            Self::Never => Some("no retry"),
            Self::After(_) => Some("retry"),
        }
    }
}
