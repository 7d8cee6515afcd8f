use serde::{Deserialize, Serialize};

use super::{Reason, Verdict};
use crate::id::HookId;
use crate::verdict::Semantics;

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PromptVerdict {
    /// Whether the turn goes on.
    pub decision: PromptDecision,
    /// The hook that does not let it; set by the dispatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
    /// Text to be put before the model with the prompt.
    pub contexts: Vec<String>,
}

/// Whether the turn goes on after a prompt was submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptDecision {
    /// It goes on.
    #[default]
    Proceed,
    /// It ends here, without an error.
    Stop(Reason),
    /// The prompt is refused.
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

impl From<()> for PromptVerdict {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl PromptDecision {
    fn rank(&self) -> u8 {
        match self {
            Self::Proceed => 0,
            Self::Stop(_) => 1,
            Self::Block(_) => 2,
        }
    }
}

impl Verdict for PromptVerdict {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
    const MERGE_MAY_PANIC: bool = false;

    fn merge(&mut self, mut later: Self) {
        if later.decision.rank() > self.decision.rank() {
            self.decision = later.decision;
            self.by = later.by;
        }
        self.contexts.append(&mut later.contexts);
    }

    fn is_final(&self) -> bool {
        self.decision.rank() > 0
    }

    fn attribute(&mut self, hook: &HookId) {
        self.by = (self.decision.rank() > 0).then(|| hook.clone());
    }

    fn summary(&self) -> Option<&'static str> {
        match self.decision {
            PromptDecision::Block(_) => Some("block"),
            PromptDecision::Stop(_) => Some("stop"),
            PromptDecision::Proceed if self.contexts.is_empty() => None,
            PromptDecision::Proceed => Some("context"),
        }
    }
}
