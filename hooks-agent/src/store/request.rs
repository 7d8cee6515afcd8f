//! What a store is asked to change.

use hooks_core::data::Message;

use super::Version;

/// Messages that are to be appended to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Append {
    /// What the conversation stood at when it was read; `None` appends wherever it stands.
    pub seen: Option<Version>,
    /// The messages, in their order.
    pub messages: Vec<Message>,
}

impl Append {
    /// Appends these, wherever the conversation stands.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { seen: None, messages: messages.into_iter().collect() }
    }

    /// Only where the conversation stands at `version` still.
    #[must_use]
    pub fn seen(mut self, version: Version) -> Self {
        self.seen = Some(version);
        self
    }
}

impl FromIterator<Message> for Append {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self::new(messages)
    }
}

/// What a conversation is to read as.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Fold {
    /// What the conversation stood at when it was read.
    pub seen: Version,
    /// What is read from now on, in its order.
    pub entries: Vec<FoldEntry>,
}

/// One message of what a conversation is to read as.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldEntry {
    /// The row of this id, as it is.
    Row(String),
    /// A message that takes the place of others: a summary, say. It becomes a row of its own.
    New(Message),
}

impl Fold {
    /// A conversation that stood at `seen` reads as these entries.
    pub fn new(seen: Version, entries: impl IntoIterator<Item = FoldEntry>) -> Self {
        Self { seen, entries: entries.into_iter().collect() }
    }
}
