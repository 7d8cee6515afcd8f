use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attribution, Contexts, FollowUp, Reason, Verdict};
use crate::id::HookId;
use crate::tables::setters;

/// The verdict on a turn that is about to end: block > end > continue > no opinion.
///
/// A block or an end is final. A continuation is not, so a later guard can still end the turn. The follow-ups of
/// several hooks are joined, except default ones. Contexts and system messages are kept in plan order, and one hook is
/// enough to suppress the output.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::{StopDecision, StopVerdict};
///
/// let mut verdict = StopVerdict::continue_with("run the tests first");
/// verdict.merge(StopVerdict::end("the person left").suppress_output());
/// assert!(matches!(verdict.decision, StopDecision::End(_)) && verdict.suppress_output);
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(default)]
#[verdict(crate = crate)]
#[non_exhaustive]
pub struct StopVerdict {
    /// How the turn continues.
    #[verdict(nested)]
    pub decision: StopDecision,
    /// The id of the hook or rule that decided, the first one if several continue the turn; set by the dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub by: Option<HookId>,
    /// The rule on whose behalf the hook answers, if it runs rules that others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub attribution: Option<Arc<Attribution>>,
    /// Texts that are added to the answer.
    #[verdict(joined)]
    pub contexts: Contexts,
    /// Messages to the person in addition to the answer.
    #[verdict(joined)]
    pub system_messages: Vec<String>,
    /// Whether the contexts are hidden from the person.
    #[verdict(any)]
    pub suppress_output: bool,
}

/// How a turn continues that is about to end.
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(rename_all = "snake_case")]
#[verdict(crate = crate)]
#[non_exhaustive]
pub enum StopDecision {
    /// No opinion: the turn ends.
    #[verdict(neutral)]
    NoOpinion,
    /// The turn continues, with this as its next message.
    Continue(#[verdict(joined)] FollowUp),
    /// The turn ends, even if another hook continues it.
    #[verdict(final)]
    End(Reason),
    /// The turn ends with an error instead of the answer.
    #[verdict(final)]
    Block(Reason),
}

impl StopVerdict {
    fn of(decision: StopDecision) -> Self {
        Self { decision, ..Self::default() }
    }

    /// Continues the turn with `follow_up` as its next message, or with `go on` if it is blank. A harness does this
    /// only a limited number of times per turn.
    pub fn continue_with(follow_up: impl Into<FollowUp>) -> Self {
        Self::of(StopDecision::Continue(follow_up.into()))
    }

    /// Ends the turn for `reason`, even if another hook continues it.
    pub fn end(reason: impl Into<Reason>) -> Self {
        Self::of(StopDecision::End(reason.into()))
    }

    /// Ends the turn with an error instead of the answer.
    pub fn block(reason: impl Into<Reason>) -> Self {
        Self::of(StopDecision::Block(reason.into()))
    }

    /// Adds a message to the person in addition to the answer.
    pub fn with_system_message(mut self, text: impl Into<String>) -> Self {
        self.system_messages.push(text.into());
        self
    }
}

setters!(StopVerdict {
    /// Hides the contexts from the person.
    suppress_output,
});
