//! Where conversations are kept.

mod export;
mod guarded;
mod lease;
mod memory;
mod reading;
mod request;

use hooks_core::data::{Message, MessageUpdate};
use hooks_core::hook::BoxFuture;
use hooks_core::kinds::AfterCreateMessage;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use export::Export;
pub(crate) use guarded::Guarded;
pub use lease::Lease;
pub use memory::MemoryStore;
pub(crate) use reading::{StoredConversation, read};
pub use request::{Append, Fold, FoldEntry, RowJobs};

/// A stored message with its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// The id that the store gave it. It stays the same as long as the row is there, and sorts by the time at which the
    /// row was stored.
    pub id: String,
    /// The message.
    pub message: Message,
}

impl Row {
    /// The row `id`.
    pub fn new(id: impl Into<String>, message: Message) -> Self {
        Self { id: id.into(), message }
    }

    /// An id for a row that is stored now: a UUID of version 7, greater than all that this process made before.
    pub fn new_id() -> String {
        Uuid::now_v7().to_string()
    }

    /// What hooks and jobs are told once it is stored.
    pub(crate) fn created(&self) -> AfterCreateMessage {
        AfterCreateMessage::new(self.message.clone()).message_id(self.id.as_str())
    }
}

/// What a conversation stood at when it was read. Whatever changes the conversation makes a version that it never had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version(u64);

impl Version {
    /// The version `number`; 0 is that of a conversation without rows.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number, for a store to keep.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Some rows of a conversation, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where the next page begins; `None` where this is the last.
    pub next: Option<String>,
    /// What the conversation stands at.
    pub version: Version,
}

impl Page {
    /// A page of a conversation that stands at `version`, after which another begins at `next`.
    pub fn new(rows: Vec<Row>, next: Option<String>, version: Version) -> Self {
        Self { rows, next, version }
    }
}

/// What a change of a conversation left.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The rows that it made, in the order in which it was given their messages.
    pub rows: Vec<Row>,
    /// What the conversation stands at now.
    pub version: Version,
}

impl Written {
    /// These rows were made, and the conversation stands at `version`.
    pub fn new(rows: Vec<Row>, version: Version) -> Self {
        Self { rows, version }
    }
}

/// Some conversations of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversations {
    /// Their ids.
    pub ids: Vec<String>,
    /// Where the next ones begin; `None` where these are the last.
    pub next: Option<String>,
}

impl Conversations {
    /// These ids, after which others begin at `next`.
    pub fn new(ids: Vec<String>, next: Option<String>) -> Self {
        Self { ids, next }
    }
}

/// The store did not do what it was asked to; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else changed the conversation since it was read. Read it anew.
    #[error("the conversation was changed since it was read")]
    Conflict,
    /// Another process holds the conversation now: the lease under which it was to be changed is past.
    #[error("another process has taken the conversation over")]
    LeaseLost,
    /// It could not.
    #[error("the message store failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// A failure with this cause.
    pub fn new(cause: impl Into<String>) -> Self {
        Self::Failed(cause.into())
    }
}

/// What a store is asked for.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Where conversations are kept. The loop fires `before_create_message` and its like around each change; a store only
/// keeps what it is given.
///
/// A conversation has two readings. Its *page*s are what a model reads on, its *history* is every row that was ever stored
/// in it, by id. A fold changes the first and never the second, so that nothing is lost by it.
///
/// [`testing::hold_store`](crate::testing::hold_store) holds a store to all that is said here.
///
/// A call that is not done within [`Limits::store`](crate::Limits::store) is dropped and has failed; so has one that panics.
pub trait MessageStore: Send + Sync + 'static {
    /// Appends messages to the conversation: all of them, or none. Returns their rows.
    ///
    /// # Errors
    /// [`StoreError`]; [`Conflict`](StoreError::Conflict) where the conversation does not stand at the version that was seen.
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written>;

    /// Holds the conversation for a turn: waits as long as another process does. A store that no other process shares, as this
    /// is where nothing else is said, gives a lease at once.
    ///
    /// The changes of the turn carry its [token](Lease::token). Whoever lost the lease, because its process was stopped for
    /// longer than the store waits for a sign of life, cannot write any more: [`LeaseLost`](StoreError::LeaseLost).
    ///
    /// # Errors
    /// [`StoreError`]; a turn fails then.
    fn lease<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Lease> {
        let _ = conversation;
        Box::pin(async { Ok(Lease::none()) })
    }

    /// Whether the store keeps the [jobs](Append::jobs) of rows: each row with its jobs, or neither. The loop then gives it the
    /// jobs of background hooks at `after_create_message`, and not to the registry's background.
    fn keeps_jobs(&self) -> bool {
        false
    }

    /// Changes the row `id` of the history as [`MessageUpdate::apply`](hooks_core::data::MessageUpdate::apply) says.
    ///
    /// # Errors
    /// [`StoreError`], also where there is no such row.
    fn update<'a>(&'a self, conversation: &'a str, id: &'a str, update: MessageUpdate) -> StoreFuture<'a, Row>;

    /// The conversation reads as its entries say from now on, and rows that are appended later follow them. What they do not
    /// name stays in the history.
    ///
    /// # Errors
    /// [`StoreError`]; [`Conflict`](StoreError::Conflict) where the conversation does not stand at the version that was
    /// seen. An entry that names no row of the history, or one that another entry names, is a failure.
    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written>;

    /// At most `limit` rows of what is read, from where a page said that the next begins, or from the first. A conversation
    /// that is not there has no rows.
    ///
    /// # Errors
    /// [`StoreError`]; [`Conflict`](StoreError::Conflict) where no page begins at `from` any more.
    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page>;

    /// As [`page`](Self::page), of every row that was ever stored in the conversation, in the order of their ids.
    ///
    /// # Errors
    /// [`StoreError`].
    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page>;

    /// At most `limit` conversations that have rows, from where the last answer said that the next begin, or from the first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations>;

    /// Removes the conversation with its history. One that is not there is none already.
    ///
    /// # Errors
    /// [`StoreError`].
    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()>;

    /// All that is stored of the conversation.
    ///
    /// # Errors
    /// [`StoreError`].
    fn export<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, Export> {
        Box::pin(export::export(self, conversation))
    }
}
