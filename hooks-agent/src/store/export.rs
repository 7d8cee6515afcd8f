use serde::{Deserialize, Serialize};

use super::reading::{self, Reading};
use super::{MessageStore, Row, StoreError};

/// Everything that a store has of a conversation, for a person who requests their data, or for a migration to another
/// store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Export {
    /// The conversation.
    pub conversation: String,
    /// Every row that was ever stored in it, ordered by id.
    pub rows: Vec<Row>,
    /// The ids of the rows in the current view, in order.
    pub reads: Vec<String>,
}

pub(super) async fn export<S: MessageStore + ?Sized>(store: &S, conversation: &str) -> Result<Export, StoreError> {
    // Rows and view have to be of the same version.
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
