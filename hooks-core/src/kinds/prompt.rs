use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Messages;
use crate::verdict::{AgentStart, PromptVerdict};

/// Fires when a person has submitted a prompt: hooks may rewrite the messages, add contexts, or block the prompt.
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
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation with the prompt, before any hook.
    pub original: Messages,
    /// The model profile that the turn requests; empty if it requests none.
    #[serde(default)]
    pub profile: String,
    /// Whether the prompt is hidden from the person, for example because a timer submitted it.
    #[serde(default)]
    pub hidden: bool,
}

/// Fires before an agent's run begins: hooks may add contexts and set the system prompt; the first one that sets it
/// wins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_agent_start", verdict = AgentStart, match(trigger), new(prompt), json)]
#[non_exhaustive]
pub struct BeforeAgentStart {
    /// The prompt of the run.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub messages: Messages,
    /// What started the run, such as `user` or `cron`; empty if the harness does not provide it.
    #[serde(default)]
    pub trigger: String,
}
