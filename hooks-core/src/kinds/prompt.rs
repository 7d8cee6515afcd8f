use serde::{Deserialize, Serialize};

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
    new(prompt, original),
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

/// Fires before an agent's run begins: hooks give contexts and, the first of them, the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_agent_start", verdict = AgentStart, match(trigger), new(prompt), json)]
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
