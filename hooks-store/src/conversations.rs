//! Conversations: the store of the loop.

mod read;
mod write;

use hooks_agent::store::{
    Append, Conversations, Fold, Lease, MessageStore, Page, Row, StoreError, StoreFuture, Version, Written,
};
use hooks_core::data::{Message, MessageUpdate};
use sqlx::{Any, Transaction};

use crate::error::failed;
use crate::leases;
use crate::store::Store;

/// So many changes a conversation may have: the rest of a version is the number of the conversation.
const CHANGES: u32 = 32;

/// A conversation as a transaction finds it.
struct Found {
    number: i64,
    changes: i64,
    next_place: i64,
    last_row: String,
}

impl Found {
    /// What a conversation stands at. Numbers are never used again, so no conversation has a version twice.
    fn version(&self) -> Version {
        let number = u64::try_from(self.number).unwrap_or_default();
        Version::new((number << CHANGES) + u64::try_from(self.changes).unwrap_or_default())
    }
}

type Tx<'c> = Transaction<'c, Any>;

fn unwritable(error: &serde_json::Error) -> StoreError {
    StoreError::new(format!("a message cannot be written as JSON: {error}"))
}

fn readable(id: &str, text: &str) -> Result<Message, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::new(format!("the row `{id}` cannot be read: {error}")))
}

impl MessageStore for Store {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            let mut tx = self.database.write().await.map_err(|error| failed(&error))?;
            leases::check(&mut tx, &self.database, conversation, append.lease).await?;
            let written = write::append(&mut tx, self.database.dialect, conversation, append).await?;
            tx.commit().await.map_err(|error| failed(&error))?;
            Ok(written)
        })
    }

    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        Box::pin(leases::hold(self, conversation))
    }

    fn keeps_jobs(&self) -> bool {
        true
    }

    fn update<'a>(&'a self, conversation: &'a str, id: &'a str, update: MessageUpdate) -> StoreFuture<'a, Row> {
        Box::pin(async move {
            let mut tx = self.database.write().await.map_err(|error| failed(&error))?;
            let row = write::update(&mut tx, self.database.dialect, conversation, id, &update).await?;
            tx.commit().await.map_err(|error| failed(&error))?;
            Ok(row)
        })
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            let mut tx = self.database.write().await.map_err(|error| failed(&error))?;
            leases::check(&mut tx, &self.database, conversation, fold.lease).await?;
            let written = write::fold(&mut tx, self.database.dialect, conversation, fold).await?;
            tx.commit().await.map_err(|error| failed(&error))?;
            Ok(written)
        })
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(read::page(self, conversation, from, limit))
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(read::history(self, conversation, from, limit))
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        Box::pin(read::conversations(self, from, limit))
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut tx = self.database.write().await.map_err(|error| failed(&error))?;
            write::delete(&mut tx, conversation).await.map_err(|error| failed(&error))?;
            tx.commit().await.map_err(|error| failed(&error))
        })
    }
}
