use serde::{Deserialize, Serialize};

use super::words::words;
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

words! {
    /// Why a model did not answer.
    ModelFailure {
        /// The messages are longer than its window.
        Overflow = "overflow",
        /// The provider refused the call as it is.
        Rejected = "rejected",
        /// The provider asks to wait.
        RateLimited = "rate_limited",
        /// The provider, or the way to it, is broken.
        Unavailable = "unavailable",
        /// No answer came, and the same call would not bring one: no key, no word in time.
        Unanswered = "unanswered",
        /// The answer broke off, or cannot be read.
        Broken = "broken",
    }
}

/// Fires when a model has answered, or did not: hooks may rewrite the answer, repair the messages and call again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "post_model_call",
    subject = ModelReply,
    verdict = ReplyVerdict,
    check = ModelReply::check,
    match(call_site, stop_reason, model, failure: ModelFailure = failure_word()),
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
    /// What went wrong where the model did not answer, in words for a log; the reply is then empty.
    pub error: Option<String>,
    /// The same in a word; `None` where the model answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<ModelFailure>,
    /// Whether the harness makes the same call again after a while, unless a hook says [`ReplyVerdict::Stop`], or has it made
    /// at once with [`ReplyVerdict::Continue`].
    pub will_retry: bool,
    /// The model that answered; empty where the harness does not know.
    pub model: String,
    /// Whether text of the answer was shown already, so that to continue has no effect.
    pub streamed: bool,
    /// The tokens that the call took, where the provider says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl PostModelCall {
    /// The model did not answer.
    pub fn failed(failure: impl Into<ModelFailure>, error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), failure: Some(failure.into()), ..Self::default() }
    }

    fn failure_word(&self) -> &str {
        self.failure.as_ref().map_or("", AsRef::as_ref)
    }
}
