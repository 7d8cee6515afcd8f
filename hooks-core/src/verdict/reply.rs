use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::verdict::Semantics;

/// Whether the model is called again after its answer. The last hook that says something decides, so that an app's hook
/// overrules one that came with a plugin.
///
/// ```
/// use hooks_core::prelude::*;
/// use hooks_core::verdict::ReplyVerdict;
///
/// let mut verdict = ReplyVerdict::Continue;
/// verdict.merge(().into()); // no opinion
/// assert_eq!(verdict, ReplyVerdict::Continue);
/// verdict.merge(ReplyVerdict::Stop);
/// assert_eq!(verdict, ReplyVerdict::Stop);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyVerdict {
    /// Nothing was said; the harness does what it does without hooks.
    #[default]
    NoOpinion,
    /// The answer stands.
    Stop,
    /// The answer is dropped and the model called again with the messages of the reply, and its profile where it has one. A
    /// harness honours this where the reply calls no tool and none of it was shown, and a bounded number of times in a turn.
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
