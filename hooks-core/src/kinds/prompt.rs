use serde::{Deserialize, Serialize};

use super::words::setters;
use crate::HookKind;
use crate::data::Messages;
use crate::verdict::{AgentStart, PromptVerdict};

/// Fires when a person has submitted a prompt: hooks may rewrite the messages, add contexts, or refuse it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "user_prompt_submit",
    subject = Messages,
    verdict = PromptVerdict,
    check = Messages::check_conversation,
    match(profile),
    json
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
    /// Whether the person does not see the prompt, such as one of a timer.
    #[serde(default)]
    pub hidden: bool,
}

impl UserPromptSubmit {
    /// `prompt` was submitted, the last of `original`.
    pub fn new(prompt: impl Into<String>, original: Messages) -> Self {
        Self { prompt: prompt.into(), original, profile: String::new(), hidden: false }
    }
}

setters!(UserPromptSubmit {
    /// The model profile that the turn asks for.
    profile: String,
    /// Whether the person does not see the prompt.
    hidden: bool,
});

/// Fires before an agent's run begins: hooks give contexts and, the first of them, the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_agent_start", verdict = AgentStart, match(trigger), json)]
#[non_exhaustive]
pub struct BeforeAgentStart {
    /// What the run is to answer.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub messages: Messages,
    /// What started the run, such as `user` or `cron`; empty where the harness does not say.
    #[serde(default)]
    pub trigger: String,
}

impl BeforeAgentStart {
    /// The run is to answer `prompt`.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..Self::default() }
    }
}

setters!(BeforeAgentStart {
    /// The conversation so far.
    messages: Messages,
    /// What started the run.
    trigger: String,
});
