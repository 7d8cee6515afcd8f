//! Verdicts of which the last hook with an opinion decides, so that an app's hook overrides a plugin's.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Semantics, Verdict};

/// Implements [`Verdict`] for an enum with the variant `NoOpinion`: each other variant with its word for records.
macro_rules! last_opinion {
    ($name:ident { $($variant:pat => $word:literal,)* }) => {
        impl From<()> for $name {
            fn from((): ()) -> Self {
                Self::NoOpinion
            }
        }

        impl Verdict for $name {
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
                    $($variant => Some($word),)*
                }
            }
        }
    };
}

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

last_opinion!(ReplyVerdict {
    Self::Stop => "stop",
    Self::Continue => "continue",
});

/// Whether to run a failed tool again. The last hook with an opinion decides, so that an app's hook overrides a
/// plugin's.
///
/// ```
/// use std::time::Duration;
///
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::Retry;
///
/// #[hook(id = "again_when_offline", kind = after_tool_call_failure, tool = "search_*")]
/// fn again_when_offline(event: &AfterToolCallFailure) -> Retry {
///     if event.error.contains("offline") { Retry::After(Duration::from_secs(2)) } else { Retry::NoOpinion }
/// }
/// # use hook_sdk::kinds::AfterToolCallFailure;
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Retry {
    /// No opinion: the harness proceeds as it would without hooks.
    #[default]
    NoOpinion,
    /// Do not run the tool again.
    Never,
    /// Run the tool again after this time, with the same input. What hooks made of the failure is discarded. A harness
    /// does this only for tools that allow it, and only a limited number of times per call.
    After(Duration),
}

last_opinion!(Retry {
    Self::Never => "no retry",
    Self::After(_) => "retry",
});
