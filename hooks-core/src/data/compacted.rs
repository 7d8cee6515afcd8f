use serde::{Deserialize, Serialize};

use super::history::Messages;
use super::shared::shared;
use super::violation::Violation;
use crate::tables::setters;

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

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        Messages::check_conversation(&before.messages, &after.messages)
    }
}

setters!(CompactedHistory {
    /// Sets the summary of the removed messages.
    summary: impl Into<String> => Some,
});
