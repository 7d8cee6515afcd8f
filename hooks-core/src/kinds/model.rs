use std::sync::Arc;

use hooks_macros::__event as event;

use super::words::words;
use crate::data::{Messages, ModelReply, ModelRequest, Usage};
use crate::verdict::{Permission, ReplyVerdict};

/// Fires before a model is called: hooks may rewrite the system prompt, route the call, and hold back the output.
#[event(name = "pre_model_call", subject = ModelRequest, check = ModelRequest::check, match(call_site), new)]
#[derive(Default)]
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
#[event(
    name = "post_model_call",
    subject = ModelReply,
    verdict = ReplyVerdict,
    check = ModelReply::check,
    match(call_site, stop_reason, model, failure: ModelFailure = failure_word()),
    new(stop_reason)
)]
#[serde(default)]
#[derive(Default)]
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

words! {
    /// The part of an answer that a window belongs to.
    StreamChannel {
        /// The text of the answer.
        Text = "text",
        /// The model's thinking.
        Thinking = "thinking",
        /// The input of a tool call.
        Input = "tool_input",
    }
}

/// Fires while a model answers, before a window of its answer is shown: hooks may rewrite the window, or stop the
/// stream.
///
/// The window contains all text that has not been shown yet, as earlier hooks left it. Hooks see the same text again in
/// the next window, so a rewrite must be idempotent. With `hold`, hooks request that the loop keeps the end of
/// the window back until more text arrives or the answer ends. Every verdict other than allow or no opinion stops the
/// stream, because nobody can be asked while the answer streams.
#[event(name = "stream_delta", subject = String, verdict = Permission, match(channel), new(channel))]
pub struct StreamDelta {
    /// The part of the answer that the window belongs to.
    pub channel: StreamChannel,
    /// The text of this channel that has been shown.
    pub shown: Arc<String>,
    /// The number of characters at the end of the window that no hook has seen yet.
    pub fresh: usize,
    /// Whether this is the last window of the channel: nothing is held back any more.
    pub last: bool,
}
