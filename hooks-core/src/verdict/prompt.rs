use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Attribution, Reason, Verdict};
use crate::id::HookId;

/// The verdict on a submitted prompt: block > stop > proceed, and contexts for the model.
///
/// A block or a stop ends the chain. Contexts are kept in plan order.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// let mut verdict = PromptVerdict::context("the user is a gold member");
/// verdict.merge(PromptVerdict::block("contains a card number"));
/// assert!(matches!(verdict.decision, PromptDecision::Block(_)));
/// assert_eq!(verdict.contexts, ["the user is a gold member"]);
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(default)]
#[verdict(crate = crate)]
#[non_exhaustive]
pub struct PromptVerdict {
    /// Whether the turn continues.
    #[verdict(nested)]
    pub decision: PromptDecision,
    /// The id of the hook or rule that stopped or blocked the turn; set by the dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub by: Option<HookId>,
    /// The rule on whose behalf the hook answers, if it runs rules that others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[verdict(by = decision)]
    pub attribution: Option<Arc<Attribution>>,
    /// Texts that are added to the prompt.
    #[verdict(joined)]
    pub contexts: Vec<String>,
}

/// Whether a turn continues after its prompt was submitted.
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(rename_all = "snake_case")]
#[verdict(crate = crate)]
#[non_exhaustive]
pub enum PromptDecision {
    /// The turn continues.
    #[verdict(neutral)]
    Proceed,
    /// The turn ends here, without an error.
    #[verdict(final)]
    Stop(Reason),
    /// The prompt is blocked.
    #[verdict(final)]
    Block(Reason),
}

impl PromptVerdict {
    /// Blocks the prompt for `reason`.
    pub fn block(reason: impl Into<Reason>) -> Self {
        Self { decision: PromptDecision::Block(reason.into()), ..Self::default() }
    }

    /// Ends the turn for `reason`, without an error.
    pub fn stop(reason: impl Into<Reason>) -> Self {
        Self { decision: PromptDecision::Stop(reason.into()), ..Self::default() }
    }

    /// Adds `text` to the prompt.
    pub fn context(text: impl Into<String>) -> Self {
        Self { contexts: vec![text.into()], ..Self::default() }
    }
}
