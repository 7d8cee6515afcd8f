use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;
use crate::verdict::Contributions;

/// Fires before the context of a prompt is put together: hooks contribute to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_prompt_context", verdict = Contributions)]
#[non_exhaustive]
pub struct PrePromptContext {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

impl PrePromptContext {
    /// The turn answers `prompt`.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), history: Messages::default(), contributions: Contributions::default() }
    }

    /// The conversation so far.
    #[must_use]
    pub fn history(mut self, history: Messages) -> Self {
        self.history = history;
        self
    }

    /// What earlier phases of this turn contributed.
    #[must_use]
    pub fn contributions(mut self, contributions: Contributions) -> Self {
        self.contributions = contributions;
        self
    }
}
