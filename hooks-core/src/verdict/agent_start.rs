use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, Contexts, Verdict};
use crate::tables::conversions;
use crate::verdict::Semantics;

/// What hooks add at the start of an agent's run. The first system prompt wins; contexts are kept in plan order.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::AgentStart;
///
/// let mut all = AgentStart::system_prompt("You are a clerk.");
/// all.merge(AgentStart::system_prompt("You are a pirate.").with_context("it is Monday"));
/// assert_eq!(all.system_prompt.as_deref(), Some("You are a clerk."));
/// assert_eq!(all.contexts.joined(), "it is Monday");
/// ```
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AgentStart {
    /// The system prompt that replaces the agent's own.
    pub system_prompt: Option<String>,
    /// Texts that are added to the prompt.
    pub contexts: Contexts,
}

impl AgentStart {
    /// Replaces the agent's system prompt by `text`, unless an earlier hook replaced it.
    pub fn system_prompt(text: impl Into<String>) -> Self {
        Self { system_prompt: Some(text.into()), contexts: Contexts::default() }
    }

    /// Adds `text` to the prompt.
    pub fn context(text: impl Into<String>) -> Self {
        Self::default().with_context(text)
    }
}

conversions!(AgentStart {
    () => |()| Self::default(),
    Contexts => |contexts| Self { system_prompt: None, contexts },
});

impl Verdict for AgentStart {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Contribute);
    const MERGE_MAY_PANIC: bool = false;
    const CAPABILITIES: &'static [Capability] = &[Capability::PromptContext, Capability::PromptSection];

    fn merge(&mut self, later: Self) {
        if self.system_prompt.is_none() {
            self.system_prompt = later.system_prompt;
        }
        self.contexts.append(later.contexts);
    }

    /// A system prompt counts as a section.
    fn lacks(&self, held: Capabilities) -> Option<Capability> {
        let lacks = self.system_prompt.is_some() && !held.has(Capability::PromptSection);
        lacks.then_some(Capability::PromptSection).or_else(|| self.contexts.lacks(held))
    }

    fn is_silent(&self) -> bool {
        self.system_prompt.is_none() && self.contexts.is_empty()
    }

    fn summary(&self) -> Option<&'static str> {
        match (&self.system_prompt, self.contexts.is_empty()) {
            (Some(_), _) => Some("system prompt"),
            (None, false) => Some("contexts"),
            (None, true) => None,
        }
    }
}
