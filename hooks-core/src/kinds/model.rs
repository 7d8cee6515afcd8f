use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{Messages, ModelReply, ModelRequest, Usage};
use crate::verdict::ReplyVerdict;

/// Fires before a model is called: hooks may rewrite the system prompt, route the call, and hold the output back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_model_call", subject = ModelRequest, check = ModelRequest::check, match(call_site), new, json)]
#[serde(default)]
#[non_exhaustive]
pub struct PreModelCall {
    /// What the call is for, such as `main` or `title`; empty where the harness has but one.
    pub call_site: String,
    /// The messages that are sent.
    pub messages: Messages,
    /// The profiles that the call can be routed to.
    pub profiles: Vec<String>,
}

/// Fires when a model has answered, or refused to: hooks may rewrite the answer, repair the messages and call again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "post_model_call",
    subject = ModelReply,
    verdict = ReplyVerdict,
    check = ModelReply::check,
    match(call_site, stop_reason, model),
    new(stop_reason),
    json
)]
#[serde(default)]
#[non_exhaustive]
pub struct PostModelCall {
    /// What the call was for; empty where the harness has but one.
    pub call_site: String,
    /// Why the model stopped, in the provider's word, such as `max_tokens`; empty where it did not answer.
    pub stop_reason: String,
    /// Why the provider refused the call; the reply is then empty.
    pub error: Option<String>,
    /// The model that answered; empty where the harness does not know.
    pub model: String,
    /// Whether text of the answer was shown already, so that to continue has no effect.
    pub streamed: bool,
    /// The tokens that the call took, where the provider says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl PostModelCall {
    /// A provider refused the call with `error`.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }
}
