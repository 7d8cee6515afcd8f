//! Conversations: the store of the loop.

mod read;
mod write;

use hooks_agent::store::{
    Append, Conversations, Fold, Lease, MessageStore, Page, Row, StoreError, StoreFuture, Version, Written,
};
use hooks_core::data::{Message, MessageUpdate};
use sqlx::{Any, Transaction};

use crate::dialect::Dialect;
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

impl Store {
    /// A change of a conversation, which is committed or not made at all.
    fn change<'a, T: Send + 'static, F>(
        &self,
        conversation: &str,
        lease: Option<u64>,
        change: impl FnOnce(Change) -> F + Send + 'static,
    ) -> StoreFuture<'a, T>
    where
        F: Future<Output = Result<(T, Change), StoreError>> + Send,
    {
        let (store, conversation) = (self.clone(), conversation.to_owned());
        Box::pin(async move {
            let runtime = store.runtime.clone();
            let changed = async move {
                let mut tx = store.database.write().await.map_err(|error| failed(&error))?;
                leases::check(&mut tx, &store.database, &conversation, lease).await?;
                let (done, change) = change(Change { tx, dialect: store.database.dialect, conversation }).await?;
                change.tx.commit().await.map_err(|error| failed(&error))?;
                Ok(done)
            };
            runtime.run(changed).await
        })
    }
}

/// A change that is under way.
struct Change {
    tx: Tx<'static>,
    dialect: Dialect,
    conversation: String,
}

impl MessageStore for Store {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        self.change(conversation, append.lease, |mut to| async move {
            let written = write::append(&mut to.tx, to.dialect, &to.conversation, append).await?;
            Ok((written, to))
        })
    }

    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        Box::pin(leases::hold(self, conversation))
    }

    fn keeps_jobs(&self) -> bool {
        true
    }

    fn update<'a>(&'a self, conversation: &'a str, id: &'a str, update: MessageUpdate) -> StoreFuture<'a, Row> {
        let id = id.to_owned();
        self.change(conversation, None, move |mut to| async move {
            let row = write::update(&mut to.tx, to.dialect, &to.conversation, &id, &update).await?;
            Ok((row, to))
        })
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        self.change(conversation, fold.lease, |mut to| async move {
            let written = write::fold(&mut to.tx, to.dialect, &to.conversation, fold).await?;
            Ok((written, to))
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

    /// With its jobs but for those that run now, and its questions. A turn that runs in it cannot write any more.
    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        self.change(conversation, None, |mut to| async move {
            write::delete(&mut to.tx, &to.conversation).await.map_err(|error| failed(&error))?;
            Ok(((), to))
        })
    }
}
