//! The interface to the store of conversations.

mod export;
mod guarded;
mod lease;
mod memory;
mod reading;
mod request;

use hook_sdk::data::{Message, MessageUpdate};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::AfterCreateMessage;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use export::Export;
pub(crate) use guarded::Guarded;
pub use lease::Lease;
pub use memory::MemoryStore;
pub(crate) use reading::{StoredConversation, read, read_history};
pub use request::{Append, Fold, FoldEntry, RowJobs};

/// A stored message with its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// The id that the store assigned. It does not change, and ids sort by the time of storing.
    pub id: String,
    /// The message.
    pub message: Message,
}

impl Row {
    /// Creates the row `id`.
    pub fn new(id: impl Into<String>, message: Message) -> Self {
        Self { id: id.into(), message }
    }

    /// Creates an id for a new row: a UUID version 7 that is greater than all ids made before by this process.
    pub fn new_id() -> String {
        Uuid::now_v7().to_string()
    }

    /// The event and the input of jobs for a newly stored row.
    pub(crate) fn created(&self) -> AfterCreateMessage {
        AfterCreateMessage::new(self.message.clone()).message_id(self.id.as_str())
    }
}

/// The version of a conversation. Every change produces a version that the conversation never had before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version(u64);

impl Version {
    /// Creates the version `number`. 0 is the version of a conversation without rows.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, for a store to save.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A page of the rows of a conversation, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where the next page begins. `None` on the last page.
    pub next: Option<String>,
    /// The version of the conversation.
    pub version: Version,
    /// Whether the store knows that the current view has every row of the history. If it does not, a turn reads the
    /// history before its first tool calls, because a model may use the id of a call in it again. A turn reads this from the
    /// first page.
    pub complete: bool,
}

impl Page {
    /// Creates a page of a conversation at `version`, whose view may lack rows of the history. The next page begins at
    /// `next`.
    pub fn new(rows: Vec<Row>, next: Option<String>, version: Version) -> Self {
        Self { rows, next, version, complete: false }
    }

    /// Sets [`complete`](Self::complete).
    #[must_use]
    pub fn complete(mut self, complete: bool) -> Self {
        self.complete = complete;
        self
    }
}

/// The result of a change of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The new rows, in the order of the messages from which they were made.
    pub rows: Vec<Row>,
    /// The new version of the conversation.
    pub version: Version,
}

impl Written {
    /// Creates the result of a change that made `rows` and led to `version`.
    pub fn new(rows: Vec<Row>, version: Version) -> Self {
        Self { rows, version }
    }
}

/// A page of the conversations of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversations {
    /// Their ids.
    pub ids: Vec<String>,
    /// Where the next page begins. `None` on the last page.
    pub next: Option<String>,
}

impl Conversations {
    /// Creates a page with these ids. The next page begins at `next`.
    pub fn new(ids: Vec<String>, next: Option<String>) -> Self {
        Self { ids, next }
    }
}

/// A store operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another writer changed the conversation after it was read. Nothing was stored. Read it again.
    #[error("the conversation has changed since it was read")]
    Conflict,
    /// Another process holds the conversation now: the lease of this change has expired. Nothing was stored.
    #[error("another process has taken over the conversation")]
    LeaseLost,
    /// Any other failure. The change was stored as a whole or not at all; a database may have stored it and lost the
    /// connection before it said so.
    #[error("the message store failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Creates a [`Failed`](Self::Failed) error with this cause.
    pub fn new(cause: impl Into<String>) -> Self {
        Self::Failed(cause.into())
    }
}

/// The future of a store operation.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// A store of conversations. The loop fires `before_create_message` and the other storage kinds around each change; the
/// store only stores.
///
/// There are two views of a conversation. Its *pages* are what the model gets. Its *history* is every row that was ever
/// stored in it, ordered by id. A fold changes the first view and never the second, so that it loses nothing.
///
/// [`testing::hold_store`](crate::testing::hold_store) checks a store against this contract.
///
/// A call fails, and its future is dropped, after [`Limits::store`](crate::Limits::store), except
/// [`lease`](Self::lease). It also fails if it panics.
pub trait MessageStore: Send + Sync + 'static {
    /// Appends messages to the conversation, either all of them or none. Returns their rows.
    ///
    /// # Errors
    /// [`StoreError`]. [`Conflict`](StoreError::Conflict) if the conversation is no longer at the version
    /// `append.seen`.
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written>;

    /// Locks the conversation for a turn. Waits while another process holds it, without a limit, until the turn is
    /// cancelled. The default is for a store that only
    /// one process uses, and returns a lease immediately.
    ///
    /// The changes of the turn carry the lease's [token](Lease::token). A process that was paused for longer than the
    /// lease lasts has lost it, and its changes fail with [`LeaseLost`](StoreError::LeaseLost).
    ///
    /// # Errors
    /// [`StoreError`]. The turn fails.
    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        let _ = conversation;
        Box::pin(async { Ok(Lease::none()) })
    }

    /// Whether conversations outlive the process.
    fn is_lasting(&self) -> bool {
        true
    }

    /// Whether the store saves the [jobs](Append::jobs) of rows, each row atomically with its jobs. If so, the loop
    /// passes the jobs of background hooks at `after_create_message` to the store, instead of the registry's background
    /// worker.
    fn keeps_jobs(&self) -> bool {
        false
    }

    /// Changes the row `id` of the history with [`MessageUpdate::apply`](hook_sdk::data::MessageUpdate::apply), under the
    /// token of the [lease](Self::lease) that covers this.
    ///
    /// # Errors
    /// [`StoreError`], also if the row does not exist.
    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row>;

    /// Replaces what is read of the conversation by the entries of `fold`. Rows that are appended later follow them.
    /// Rows that no entry names stay in the history.
    ///
    /// # Errors
    /// [`StoreError`]. [`Conflict`](StoreError::Conflict) if the conversation is no longer at the version `fold.seen`.
    /// It is an error if an entry names a row that is not in the history, or if two entries name the same row.
    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written>;

    /// At most `limit` rows of the current view, starting at `from`, which is the `next` of an earlier page, or at the
    /// first row. A conversation that does not exist has no rows.
    ///
    /// # Errors
    /// [`StoreError`]. [`Conflict`](StoreError::Conflict) if no page begins at `from` any more.
    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page>;

    /// Like [`page`](Self::page), for every row that was ever stored in the conversation, ordered by id.
    ///
    /// # Errors
    /// [`StoreError`].
    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page>;

    /// At most `limit` conversations that have rows, starting at `from`, which is the `next` of an earlier page, or at
    /// the first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations>;

    /// Deletes the conversation with its history. Deleting one that does not exist succeeds.
    ///
    /// # Errors
    /// [`StoreError`].
    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()>;

    /// Everything that is stored of the conversation.
    ///
    /// # Errors
    /// [`StoreError`].
    fn export<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Export> {
        Box::pin(export::export(self, conversation))
    }
}
