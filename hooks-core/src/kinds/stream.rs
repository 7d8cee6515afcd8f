use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::HookKind;
use crate::verdict::Permission;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "stream_delta", subject = String, verdict = Permission, match(channel), new(channel), json)]
#[non_exhaustive]
pub struct StreamDelta {
    /// The part of the answer that the window belongs to.
    pub channel: StreamChannel,
    /// The text of this channel that has been shown.
    #[serde(default)]
    pub shown: Arc<String>,
    /// The number of characters at the end of the window that no hook has seen yet.
    #[serde(default)]
    pub fresh: usize,
    /// Whether this is the last window of the channel: nothing is held back any more.
    #[serde(default)]
    pub last: bool,
}
