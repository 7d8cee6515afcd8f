//! What hooks can decide besides the subject.

mod agent_start;
mod attribution;
mod capability;
mod contexts;
mod contribution;
mod manifest_diagnostic;
mod follow_up;
mod merge;
mod permission;
mod prompt;
mod reason;
mod reply;
mod retry;
mod stop;
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
pub use follow_up::FollowUp;
pub use manifest_diagnostic::Diagnostic;
pub use merge::{
    CONTEXT_ENTRIES, CONTEXT_LIMIT, ContextEntry, Merged, PolicyEntry, SECTION_LIMIT, SECTIONS, SECTIONS_LIMIT,
    Section, Tools,
};
pub use permission::{Cause, Decision, Denial, Permission, Question};
pub use prompt::{PromptDecision, PromptVerdict};
pub use reason::Reason;
pub use reply::ReplyVerdict;
pub use retry::Retry;
pub use semantics::Semantics;
pub use stop::{StopDecision, StopVerdict};

pub use hooks_macros::Verdict;

use crate::failure::FailureKind;
use crate::id::HookId;

/// The answer of a kind's hooks, folded in the order of the plan.
///
/// Every verdict is `From<()>`, so a hook that returns nothing has no opinion. Built in are `()`, [`Permission`],
/// [`PromptVerdict`], [`ReplyVerdict`], [`Retry`], [`StopVerdict`], [`Contexts`], [`AgentStart`] and [`Contributions`]. An app
/// derives its own: an enum whose variants stand from the weakest to the strongest, or a struct whose fields are merged one by one.
///
/// ```
/// use hooks_core::prelude::*;
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
/// [The derive](macro@crate::Verdict) lists the words. What no rule describes is implemented by hand: `merge`, and what else
/// differs from the defaults here.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a verdict",
    label = "not a verdict",
    note = "use `()`, `Permission`, `PromptVerdict`, `Contributions`, or a type of your own with `#[derive(Clone, Debug, Verdict)]`"
)]
pub trait Verdict: Clone + fmt::Debug + From<()> + Send + Sync + 'static {
    /// What a kind with this verdict is; `None` where the subject alone decides between transform and event.
    const SEMANTICS: Option<Semantics>;

    /// What hooks contribute by it, which `capabilities` limits; nothing where it is no contribution.
    const CAPABILITIES: &'static [Capability] = &[];

    /// Whether [`merge`](Self::merge) and its like are code of the app, which may panic: a dispatch then keeps what it needs to
    /// take a half-merged verdict back.
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

    /// Called when a later hook really changed the subject: forgets what was said of the old one. Returns whether
    /// anything was forgotten.
    fn subject_changed(&mut self) -> bool {
        false
    }

    /// Notes which hook gave this answer.
    fn attribute(&mut self, hook: &HookId) {
        let _ = hook;
    }

    /// Who the hook answers for, where it carries what others wrote.
    fn attribution(&self) -> Option<&Arc<Attribution>> {
        None
    }

    /// The verdict for `on_failure = deny`; `None` where failure cannot be an answer.
    fn could_not_answer(kind: FailureKind, hook: &HookId) -> Option<Self> {
        let _ = (kind, hook);
        None
    }

    /// Whether this answer changes no other when it is folded in, so that a dispatch may drop it. `false` is always right.
    fn is_silent(&self) -> bool {
        false
    }

    /// What it contributes although it is not among `held`.
    fn lacks(&self, held: Capabilities) -> Option<Capability> {
        let _ = held;
        None
    }

    /// What it contributes, one by one, for records. Never holds payload.
    fn contributed(&self) -> Vec<ContributionId> {
        Vec::new()
    }

    /// A word for records, such as `deny`; `None` where the hook had no opinion. Never holds payload.
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

/// Ends the turn after this dispatch: returned in place of a verdict, in a `Result`'s error, or by `?`.
///
/// The other hooks of the dispatch still run, so that what is masked or counted stays so; the first halt in the order of
/// the plan is reported in [`ReportData::halt`](crate::dispatch::ReportData::halt).
///
/// ```
/// use hooks_core::prelude::*;
///
/// #[hook(id = "office_hours", kind = user_prompt_submit)]
/// fn office_hours(cx: &HookContext) -> Result<(), Halt> {
///     if cx.human_present() { Ok(()) } else { Err(Halt::new("nobody is at the desk")) }
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the turn was halted: {reason}")]
pub struct Halt {
    /// Why, for the person who reads the transcript.
    pub reason: Reason,
    /// The hook that asked for it, or who that answers for; set by the dispatch.
    pub by: Option<HookId>,
    /// Who the hook answers for, where it carries what others wrote.
    pub attribution: Option<Arc<Attribution>>,
}

impl Halt {
    /// Ends the turn for `reason`.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), by: None, attribution: None }
    }
}
