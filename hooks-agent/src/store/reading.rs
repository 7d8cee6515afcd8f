//! Reads a conversation page by page.

use super::{MessageStore, Row, StoreError, Version};

/// The number of rows per page.
const PAGE: usize = 500;

/// How often reading is restarted when the conversation changes meanwhile.
pub(super) const ATTEMPTS: usize = 8;

/// A conversation at one version.
#[derive(Debug, Default)]
pub(crate) struct StoredConversation {
    pub(crate) rows: Vec<Row>,
    pub(crate) version: Version,
    /// Whether these are known to be all rows of the history.
    pub(crate) complete: bool,
}

/// Which view of a conversation to read.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    Pages,
    History,
}

/// Reads the current view of a conversation.
pub(crate) async fn read(store: &dyn MessageStore, conversation: &str) -> Result<StoredConversation, StoreError> {
    all(store, conversation, Reading::Pages).await
}

/// Reads every row that was ever stored in a conversation.
pub(crate) async fn read_history(
    store: &dyn MessageStore,
    conversation: &str,
) -> Result<StoredConversation, StoreError> {
    all(store, conversation, Reading::History).await
}

/// Reads all rows at one version.
pub(super) async fn all<S: MessageStore + ?Sized>(
    store: &S,
    conversation: &str,
    reading: Reading,
) -> Result<StoredConversation, StoreError> {
    for _ in 0..ATTEMPTS {
        match once(store, conversation, reading).await {
            Err(StoreError::Conflict) => {}
            read => return read,
        }
    }
    Err(StoreError::Conflict)
}

async fn once<S: MessageStore + ?Sized>(
    store: &S,
    conversation: &str,
    reading: Reading,
) -> Result<StoredConversation, StoreError> {
    let mut read = StoredConversation::default();
    let mut from: Option<String> = None;
    loop {
        let page = match reading {
            Reading::Pages => store.page(conversation, from.as_deref(), PAGE).await?,
            Reading::History => store.history(conversation, from.as_deref(), PAGE).await?,
        };
        if from.is_some() && page.version != read.version {
            return Err(StoreError::Conflict);
        }
        read.version = page.version;
        read.complete |= from.is_none() && page.complete;
        read.rows.extend(page.rows);
        match page.next {
            // A store that returns the same page again must not cause an endless loop.
            Some(next) if from.as_ref() != Some(&next) => from = Some(next),
            _ => return Ok(read),
        }
    }
}
