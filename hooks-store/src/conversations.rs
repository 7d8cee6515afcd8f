//! Conversations: the implementation of the message store.

mod export;
mod read;
mod write;

use std::collections::HashSet;

use hook_sdk::data::{Message, MessageUpdate};
use hook_sdk::hook::BoxFuture;
use hooks_agent::store::{
    Append, Conversations, Fold, Lease, MessageStore, Page, Row, StoreError, StoreFuture, Version, Written,
};

pub use export::{ExportedRow, ExportedRows};

use self::read::Reading;
use crate::database::Tx;
use crate::error::Failure;
use crate::ids;
use crate::leases;
use crate::store::Store;

/// The low bits of a version count the changes of its conversation; the other bits are the conversation's number.
const CHANGES: u32 = 32;

/// The row of a conversation.
struct Found {
    number: i64,
    changes: i64,
    next_place: i64,
    last_row: String,
}

impl Found {
    /// Numbers are never reused, so a conversation never has the same version twice, even after it was deleted and
    /// created again.
    fn version(&self) -> Version {
        let number = u64::try_from(self.number).unwrap_or_default();
        Version::new((number << CHANGES) + u64::try_from(self.changes).unwrap_or_default())
    }
}

fn readable(id: &str, text: &str) -> Result<Message, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::new(format!("the row `{id}` cannot be read: {error}")))
}

impl Store {
    /// Stores a new conversation. The model reads the messages that are marked with `true`.
    pub(crate) fn create<'a>(
        &'a self,
        conversation: &str,
        messages: Vec<(Message, bool)>,
    ) -> StoreFuture<'a, Vec<Row>> {
        self.change(conversation, None, |tx, id| Box::pin(write::create(tx, id, messages)))
    }

    /// Deletes a conversation as [`MessageStore::delete`] does. Returns whether there was anything of it.
    ///
    /// # Errors
    /// [`StoreError`]. Nothing is deleted then.
    pub async fn delete_conversation(&self, conversation: &str) -> Result<bool, StoreError> {
        self.change(conversation, None, |tx, id| Box::pin(write::delete(tx, id))).await
    }

    /// The ids of the calls in a conversation.
    pub(crate) async fn calls(&self, conversation: &str) -> Result<HashSet<String>, Failure> {
        let conversation = conversation.to_owned();
        self.database.read(move |tx| Box::pin(async move { write::calls_of(tx, &conversation).await })).await
    }

    /// Changes a conversation in one transaction. Fails if another process has taken over the lease.
    fn change<'a, T: Send + 'static>(
        &'a self,
        conversation: &str,
        lease: Option<u64>,
        change: impl for<'t> FnOnce(&'t mut Tx, String) -> BoxFuture<'t, Result<T, Failure>> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let conversation = conversation.to_owned();
        Box::pin(async move {
            ids::check("conversation", &conversation)?;
            let changed = self.database.write(move |tx| {
                Box::pin(async move {
                    leases::check_any(tx, &conversation, lease).await?;
                    change(tx, conversation).await
                })
            });
            Ok(changed.await?)
        })
    }
}

impl MessageStore for Store {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        self.change(conversation, append.lease, |tx, id| Box::pin(write::append(tx, id, append)))
    }

    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        Box::pin(leases::take(self, conversation))
    }

    fn keeps_jobs(&self) -> bool {
        true
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        let row = id.to_owned();
        self.change(conversation, lease, |tx, id| Box::pin(write::update(tx, id, row, update)))
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        self.change(conversation, fold.lease, |tx, id| Box::pin(write::fold(tx, id, fold)))
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(read::rows(self, conversation, from, limit, Reading::Page))
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        Box::pin(read::rows(self, conversation, from, limit, Reading::History))
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        Box::pin(read::conversations(self, from, limit))
    }

    /// Deletes the conversation with its questions, its jobs and its part of the log of dispatches, and the conversations
    /// of the agents that it called. A turn that is running in it, or a worker that runs one of its jobs, cannot write any
    /// more.
    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.delete_conversation(conversation).await.map(|_| ()) })
    }
}
