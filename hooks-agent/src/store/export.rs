use serde::{Deserialize, Serialize};

use super::reading::{self, Reading};
use super::{MessageStore, Row, StoreError};

/// All that a store has of a conversation, for a person who asks for it or another store that takes it over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Export {
    /// The conversation.
    pub conversation: String,
    /// Every row that was ever stored in it, in the order of their ids.
    pub rows: Vec<Row>,
    /// The ids of those that a model reads, in the order in which it does.
    pub reads: Vec<String>,
}

pub(super) async fn export<S: MessageStore + ?Sized>(store: &S, conversation: &str) -> Result<Export, StoreError> {
    // Both as of one version.
    for _ in 0..reading::ATTEMPTS {
        let read = reading::all(store, conversation, Reading::Pages).await?;
        let history = reading::all(store, conversation, Reading::History).await?;
        if read.version == history.version {
            let reads = read.rows.into_iter().map(|row| row.id).collect();
            return Ok(Export { conversation: conversation.to_owned(), rows: history.rows, reads });
        }
    }
    Err(StoreError::Conflict)
}
