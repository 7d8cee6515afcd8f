use serde::{Deserialize, Serialize};

use super::history::Messages;
use super::shared::shared;
use super::violation::Violation;

shared! {
    /// What is left of a conversation after it was compacted.
    CompactedHistory(CompactedHistoryData)
}

/// What a [`CompactedHistory`] holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CompactedHistoryData {
    /// The messages that the conversation goes on with.
    pub messages: Messages,
    /// What stands for the messages that went, where it is no message itself.
    pub summary: Option<String>,
}

impl CompactedHistory {
    /// The conversation goes on with `messages`.
    pub fn new(messages: Messages) -> Self {
        CompactedHistoryData { messages, summary: None }.into()
    }

    /// What stands for the messages that went.
    #[must_use]
    pub fn summary(mut self, text: impl Into<String>) -> Self {
        self.summary = Some(text.into());
        self
    }

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        Messages::check_conversation(&before.messages, &after.messages)
    }
}
