use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::HookKind;
use crate::verdict::Permission;

words! {
    /// What of an answer a window is of.
    StreamChannel {
        /// What the model says.
        Text = "text",
        /// What it thinks.
        Thinking = "thinking",
        /// What it writes as the input of a tool.
        Input = "tool_input",
    }
}

/// Fires while a model answers, before a window of its answer is shown: hooks may rewrite the window, or stop the stream.
///
/// The window is all that is not shown yet, as hooks left it: they see again what they already saw, so to rewrite it twice
/// must be to rewrite it once. As much of its end is kept back as the hooks in force say by `hold`, until more has come or the
/// answer is over. A deny stops the stream; so does everything else that is no allow, since nobody can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "stream_delta", subject = String, verdict = Permission, match(channel), new(channel), json)]
#[non_exhaustive]
pub struct StreamDelta {
    /// What of the answer the window is of.
    pub channel: StreamChannel,
    /// What was shown of this channel.
    #[serde(default)]
    pub shown: Arc<String>,
    /// How many characters at the end of the window no hook has seen yet.
    #[serde(default)]
    pub fresh: usize,
    /// Whether this is the last of the channel: nothing is kept back any more.
    #[serde(default)]
    pub last: bool,
}
