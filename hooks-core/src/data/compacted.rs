use serde::{Deserialize, Serialize};

use super::history::Messages;
use super::shared::shared;
use super::violation::Violation;

shared! {
    /// A conversation after compaction.
    CompactedHistory(CompactedHistoryData)
}

/// The data of a [`CompactedHistory`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CompactedHistoryData {
    /// The messages that the conversation continues with.
    pub messages: Messages,
    /// The summary of the removed messages, if it is not itself one of `messages`.
    pub summary: Option<String>,
}

impl CompactedHistory {
    /// Creates a compacted conversation that continues with `messages`.
    pub fn new(messages: Messages) -> Self {
        CompactedHistoryData { messages, summary: None }.into()
    }

    /// Sets the summary of the removed messages.
    #[must_use]
    pub fn summary(mut self, text: impl Into<String>) -> Self {
        self.summary = Some(text.into());
        self
    }

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        Messages::check_conversation(&before.messages, &after.messages)
    }
}
