//! Verdicts: what hooks can decide in addition to changing the subject.

mod agent_start;
mod attribution;
mod capability;
mod contexts;
mod contribution;
mod control;
mod manifest_diagnostic;
mod merge;
mod permission;
mod prompt;
mod stop;
mod text;
pub mod rule;
mod semantics;

use std::fmt;
use std::sync::Arc;

pub use agent_start::AgentStart;
pub use attribution::Attribution;
pub use capability::{Capabilities, Capability};
pub use contexts::Contexts;
pub use contribution::{
    AuditNote, Contribution, ContributionId, Contributions, PromptContext, PromptSection, ToolDeclaration,
};
pub use control::{ReplyVerdict, Retry};
pub use manifest_diagnostic::Diagnostic;
pub use merge::{MergedEntries, PolicyEntry, Tools};
pub use permission::{Cause, Decision, Denial, Permission, Question};
pub use prompt::{PromptDecision, PromptVerdict};
pub use semantics::Semantics;
pub use stop::{StopDecision, StopVerdict};
pub use text::{FollowUp, Reason};

pub use hooks_macros::Verdict;

use crate::id::HookId;

/// The merged answer of a kind's hooks, in plan order.
///
/// Every verdict implements `From<()>`, so a hook that returns nothing has no opinion. The verdicts of the built-in kinds
/// are in [this module](crate::verdict), such as [`Permission`]. An app derives its own: an enum with variants from
/// weakest to strongest, or a struct whose fields are merged one by one.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// #[derive(Clone, Debug, PartialEq, Verdict)]
/// enum Review {
///     #[verdict(neutral)]
///     NoOpinion,
///     Look(#[verdict(joined)] Vec<String>),
///     #[verdict(final)]
///     Reject { why: String },
/// }
///
/// #[derive(Clone, Debug, Verdict)]
/// struct Plan {
///     #[verdict(nested)]
///     review: Review,
///     #[verdict(first)]
///     model: Option<String>,
///     #[verdict(intersected)]
///     tools: Option<Vec<String>>,
/// }
///
/// let mut review = Review::Look(vec!["the amount".into()]);
/// review.merge(().into()); // no opinion
/// review.merge(Review::Look(vec!["the address".into()]));
/// assert_eq!(review, Review::Look(vec!["the amount".into(), "the address".into()]));
///
/// let mut plan = Plan { review, model: None, tools: Some(vec!["read".into(), "write".into()]) };
/// plan.merge(Plan { model: Some("small".into()), tools: Some(vec!["read".into()]), ..().into() });
/// assert_eq!((plan.model.as_deref(), plan.tools), (Some("small"), Some(vec!["read".to_owned()])));
/// ```
///
/// See [the derive](macro@crate::Verdict) for its attributes. If no rule fits, implement the trait by hand: `merge`,
/// and every method whose default does not fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a verdict",
    label = "not a verdict",
    note = "use `()`, `Permission`, `PromptVerdict`, `Contributions`, or a type of your own with `#[derive(Clone, Debug, Verdict)]`"
)]
pub trait Verdict: Clone + fmt::Debug + From<()> + Send + Sync + 'static {
    /// The semantics of a kind with this verdict; `None` if it depends only on whether the kind has a subject
    /// (transform or event).
    const SEMANTICS: Option<Semantics>;

    /// What hooks can contribute with this verdict, which `capabilities` restricts; empty if it is not a contribution.
    const CAPABILITIES: &'static [Capability] = &[];

    /// Whether [`merge`](Self::merge) and similar methods are app code that may panic. If so, a dispatch keeps a copy
    /// to revert a half-merged verdict.
    #[doc(hidden)]
    const MERGE_MAY_PANIC: bool = true;

    /// Merges the answer of a hook that comes later in the plan.
    fn merge(&mut self, later: Self);

    /// Whether nothing later can change the outcome, so that later stages do not run.
    fn is_final(&self) -> bool {
        false
    }

    /// Whether the subject may no longer be rewritten.
    fn freezes_subject(&self) -> bool {
        false
    }

    /// Called when a later hook changed the subject: discards decisions about the old subject. Returns whether anything
    /// was discarded.
    fn subject_changed(&mut self) -> bool {
        false
    }

    /// Records which hook gave this answer.
    fn attribute(&mut self, hook: &HookId) {
        let _ = hook;
    }

    /// The rule on whose behalf the hook answers, if it runs rules that others wrote.
    fn attribution(&self) -> Option<&Arc<Attribution>> {
        None
    }

    /// The verdict that denies: for `on_failure = deny`, and for a halt at a gate. With `None`, a dispatch whose hook
    /// must deny fails instead.
    fn from_denial(denial: Denial) -> Option<Self> {
        let _ = denial;
        None
    }

    /// Whether merging this answer never has an effect, so that a dispatch may drop it. Returning `false` is always
    /// correct.
    fn is_silent(&self) -> bool {
        false
    }

    /// Returns a contribution of this verdict that `held` does not allow.
    fn lacks(&self, held: Capabilities) -> Option<Capability> {
        let _ = held;
        None
    }

    /// Lists its contributions for records. Must not contain payload.
    fn contributed(&self) -> Vec<ContributionId> {
        Vec::new()
    }

    /// A word for records, such as `deny`; `None` if the hook had no opinion. Must not contain payload.
    fn summary(&self) -> Option<&'static str> {
        None
    }
}

impl Verdict for () {
    const SEMANTICS: Option<Semantics> = None;
    const MERGE_MAY_PANIC: bool = false;

    #[inline]
    fn merge(&mut self, (): Self) {}

    #[inline]
    fn is_silent(&self) -> bool {
        true
    }
}

/// Ends the turn after this dispatch. A hook returns it in place of a verdict, or as the error of a `Result`.
///
/// The other hooks of the dispatch still run, so that masking and counting are complete. The first halt in plan order
/// is reported in [`ReportData::halt`](crate::dispatch::ReportData::halt).
///
/// What the hook changed in the subject is kept. A hook that takes the subject by value returns both, `(subject, halt)`.
/// If it returns only the halt, the subject stays as it was; with `on_failure = required` that is an error of the
/// dispatch, and with `remove` the subject is removed.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "office_hours", kind = user_prompt_submit)]
/// fn office_hours(cx: &HookContext) -> Result<(), Halt> {
///     if cx.human_present() { Ok(()) } else { Err(Halt::new("nobody is at the desk")) }
/// }
/// # fn main() {}
/// ```
#[must_use = "a halt has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the turn was halted: {reason}")]
pub struct Halt {
    /// The reason, for readers of the transcript.
    pub reason: Reason,
    /// The id of the hook or rule that halted; set by the dispatch.
    pub by: Option<HookId>,
    /// The rule on whose behalf the hook answers, if it runs rules that others wrote.
    pub attribution: Option<Arc<Attribution>>,
}

impl Halt {
    /// Creates a halt.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), by: None, attribution: None }
    }
}

/// Implements the methods of answers with contexts.
macro_rules! with_context {
    ($($ty:ty),*) => {
        $(impl $ty {
            /// Adds a text to the contexts of this answer.
            pub fn with_context(mut self, text: impl Into<String>) -> Self {
                self.contexts.push(text.into());
                self
            }
        })*
    };
}

with_context!(AgentStart, PromptVerdict, StopVerdict);

/// Implements the methods of answers with an attribution.
macro_rules! attributed_to {
    ($($ty:ty),*) => {
        $(impl $ty {
            /// Attributes the answer to a rule that others wrote.
            pub fn attributed_to(mut self, other: impl Into<Arc<Attribution>>) -> Self {
                let other = other.into();
                self.by = Some(other.id.clone());
                self.attribution = Some(other);
                self
            }
        })*
    };
}

attributed_to!(Denial, Question, Halt, PromptVerdict, StopVerdict);
