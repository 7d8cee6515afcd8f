use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;
use crate::verdict::PromptVerdict;

/// Fires when a person has submitted a prompt: hooks may rewrite the messages, add contexts, or refuse it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "user_prompt_submit",
    subject = Messages,
    verdict = PromptVerdict,
    check = Messages::check_pairs,
    match(profile)
)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation with the prompt, before any hook.
    pub original: Messages,
    /// The model profile that the turn asks for; empty where it asks for none.
    #[serde(default)]
    pub profile: String,
}

impl UserPromptSubmit {
    /// `prompt` was submitted, the last of `original`.
    pub fn new(prompt: impl Into<String>, original: Messages) -> Self {
        Self { prompt: prompt.into(), original, profile: String::new() }
    }

    /// The model profile that the turn asks for.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = profile.into();
        self
    }
}
