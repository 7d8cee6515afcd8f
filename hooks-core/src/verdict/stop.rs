use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attribution, Contexts, FollowUp, Reason, Verdict};
use crate::id::HookId;

/// What hooks say of a turn that is about to end: block > end > continue > no opinion.
///
/// A block or an end is final. A wish to continue is not, so that a later guard can still end the turn; the follow-ups of
/// several hooks are joined, but for those without a text of their own. Contexts and system messages are kept in the order
/// of the plan, and one hook that suppresses the output is enough.
///
/// ```
/// use hooks_core::prelude::*;
/// use hooks_core::verdict::{StopDecision, StopVerdict};
///
/// let mut verdict = StopVerdict::continue_with("run the tests first");
/// verdict.merge(StopVerdict::end("the person left").suppress_output());
/// assert!(matches!(verdict.decision, StopDecision::End(_)) && verdict.suppress_output);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(default)]
#[verdict(crate = crate)]
#[non_exhaustive]
pub struct StopVerdict {
    /// How the turn goes on.
    #[verdict(nested)]
    pub decision: StopDecision,
    /// The hook whose decision it is, or who that answers for, of several that continue the first; set by the dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub by: Option<HookId>,
    /// Who the hook answers for, where it carries what others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub attribution: Option<Arc<Attribution>>,
    /// Text that goes with the answer.
    #[verdict(joined)]
    pub contexts: Contexts,
    /// A message to the person besides the answer.
    #[verdict(joined)]
    pub system_messages: Vec<String>,
    /// Whether the contexts are kept from the person.
    #[verdict(any)]
    pub suppress_output: bool,
}

/// How a turn goes on that is about to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(rename_all = "snake_case")]
#[verdict(crate = crate)]
#[non_exhaustive]
pub enum StopDecision {
    /// Nothing was said; it ends.
    #[verdict(neutral)]
    NoOpinion,
    /// It goes on, with this as the next message.
    Continue(#[verdict(joined)] FollowUp),
    /// It ends, whoever wants to continue.
    #[verdict(final)]
    End(Reason),
    /// It ends with an error in the place of the answer.
    #[verdict(final)]
    Block(Reason),
}

impl StopVerdict {
    fn of(decision: StopDecision) -> Self {
        Self { decision, ..Self::default() }
    }

    /// Goes on with `follow_up` as the next message, with `go on` where it is blank. A harness honours it a bounded number of
    /// times in a turn.
    pub fn continue_with(follow_up: impl Into<FollowUp>) -> Self {
        Self::of(StopDecision::Continue(follow_up.into()))
    }

    /// Ends the turn for `reason`, whoever wants to continue.
    pub fn end(reason: impl Into<Reason>) -> Self {
        Self::of(StopDecision::End(reason.into()))
    }

    /// Ends the turn with an error in the place of the answer.
    pub fn block(reason: impl Into<Reason>) -> Self {
        Self::of(StopDecision::Block(reason.into()))
    }

    /// Adds text that goes with the answer.
    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.contexts.push(text.into());
        self
    }

    /// Sends the person a message besides the answer.
    #[must_use]
    pub fn with_system_message(mut self, text: impl Into<String>) -> Self {
        self.system_messages.push(text.into());
        self
    }

    /// Keeps the contexts from the person.
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.suppress_output = true;
        self
    }
}
