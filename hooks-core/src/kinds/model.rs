use serde::{Deserialize, Serialize};

use super::words::words;
use crate::HookKind;
use crate::data::{Messages, ModelReply, ModelRequest, Usage};
use crate::verdict::ReplyVerdict;

/// Fires before a model is called: hooks may rewrite the system prompt, route the call, and hold back the output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_model_call", subject = ModelRequest, check = ModelRequest::check, match(call_site), new, json)]
#[serde(default)]
#[non_exhaustive]
pub struct PreModelCall {
    /// The purpose of the call, such as `main` or `title`; empty if the harness does not say.
    pub call_site: String,
    /// The messages of the call.
    pub messages: Messages,
    /// The profiles that the call can be routed to.
    pub profiles: Vec<String>,
}

words! {
    /// Why a model did not answer.
    ModelFailure {
        /// The messages do not fit into the context window.
        Overflow = "overflow",
        /// The provider rejected the call.
        Rejected = "rejected",
        /// The provider asks the caller to wait.
        RateLimited = "rate_limited",
        /// The provider cannot be reached, or has an internal error.
        Unavailable = "unavailable",
        /// No answer arrived, and a retry would not help: for example a missing key, or a timeout.
        Unanswered = "unanswered",
        /// The answer ended early, or cannot be parsed.
        Broken = "broken",
    }
}

/// Fires when a model has answered or failed: hooks may rewrite the answer, repair the messages and call the model
/// again.
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
    /// The purpose of the call; empty if the harness does not say.
    pub call_site: String,
    /// Why the model stopped, in the provider's word, such as `max_tokens`; empty if it did not answer.
    pub stop_reason: String,
    /// The error if the model did not answer, as text for a log; the reply is then empty.
    pub error: Option<String>,
    /// The class of the failure; `None` if the model answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<ModelFailure>,
    /// Whether the harness will retry the call after a delay. [`ReplyVerdict::Stop`] prevents the retry;
    /// [`ReplyVerdict::Continue`] retries at once.
    pub will_retry: bool,
    /// The model that answered; empty if the harness does not know it.
    pub model: String,
    /// Whether text of the answer has already been shown, so that `Continue` has no effect.
    pub streamed: bool,
    /// The tokens used by the call, if the provider reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl PostModelCall {
    /// An event for a model that did not answer.
    pub fn failed(failure: impl Into<ModelFailure>, error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), failure: Some(failure.into()), ..Self::default() }
    }

    fn failure_word(&self) -> &str {
        self.failure.as_ref().map_or("", AsRef::as_ref)
    }
}
