use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::verdict::Semantics;

/// Whether to call the model again after its answer. The last hook with an opinion decides, so that an app's hook
/// overrides a plugin's.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::ReplyVerdict;
///
/// let mut verdict = ReplyVerdict::Continue;
/// verdict.merge(().into()); // no opinion
/// assert_eq!(verdict, ReplyVerdict::Continue);
/// verdict.merge(ReplyVerdict::Stop);
/// assert_eq!(verdict, ReplyVerdict::Stop);
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyVerdict {
    /// No opinion: the harness proceeds as it would without hooks.
    #[default]
    NoOpinion,
    /// Keep the answer.
    Stop,
    /// Discard the answer and call the model again with the reply's messages and profile. A harness does this only if
    /// the reply contains no tool call and none of it was shown, and only a limited number of times per turn.
    Continue,
}

impl From<()> for ReplyVerdict {
    fn from((): ()) -> Self {
        Self::NoOpinion
    }
}

impl Verdict for ReplyVerdict {
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
            Self::Stop => Some("stop"),
            Self::Continue => Some("continue"),
        }
    }
}
