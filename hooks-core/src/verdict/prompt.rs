use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attribution, Reason, Verdict};
use crate::id::HookId;

/// What hooks say of a prompt a person submitted: block > stop > proceed, and contexts for the model.
///
/// A block or a stop ends the chain; contexts are kept in the order of the plan.
///
/// ```
/// use hooks_core::prelude::*;
///
/// let mut verdict = PromptVerdict::context("the user is a gold member");
/// verdict.merge(PromptVerdict::block("contains a card number"));
/// assert!(matches!(verdict.decision, PromptDecision::Block(_)));
/// assert_eq!(verdict.contexts, ["the user is a gold member"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(default)]
#[verdict(crate = crate)]
#[non_exhaustive]
pub struct PromptVerdict {
    /// Whether the turn goes on.
    #[verdict(nested)]
    pub decision: PromptDecision,
    /// The hook that does not let it, or who that answers for; set by the dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub by: Option<HookId>,
    /// Who the hook answers for, where it carries what others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub attribution: Option<Arc<Attribution>>,
    /// Text to be put before the model with the prompt.
    #[verdict(joined)]
    pub contexts: Vec<String>,
}

/// Whether the turn goes on after a prompt was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(rename_all = "snake_case")]
#[verdict(crate = crate)]
#[non_exhaustive]
pub enum PromptDecision {
    /// It goes on.
    #[verdict(neutral)]
    Proceed,
    /// It ends here, without an error.
    #[verdict(final)]
    Stop(Reason),
    /// The prompt is refused.
    #[verdict(final)]
    Block(Reason),
}

impl PromptVerdict {
    /// Refuses the prompt for `reason`.
    pub fn block(reason: impl Into<Reason>) -> Self {
        Self { decision: PromptDecision::Block(reason.into()), ..Self::default() }
    }

    /// Ends the turn for `reason`, without an error.
    pub fn stop(reason: impl Into<Reason>) -> Self {
        Self { decision: PromptDecision::Stop(reason.into()), ..Self::default() }
    }

    /// Puts `text` before the model with the prompt.
    pub fn context(text: impl Into<String>) -> Self {
        Self { contexts: vec![text.into()], ..Self::default() }
    }

    /// Adds a context to this answer.
    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.contexts.push(text.into());
        self
    }
}
