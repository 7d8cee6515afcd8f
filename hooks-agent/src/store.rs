//! Where conversations are kept.

mod guarded;
mod memory;

use hooks_core::data::{Message, MessageUpdate};
use hooks_core::hook::BoxFuture;

pub(crate) use guarded::Guarded;
pub use memory::MemoryStore;

/// A stored message with its id.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The id that the store gave it.
    pub id: String,
    /// The message.
    pub message: Message,
}

impl Row {
    /// The row `id`.
    pub fn new(id: impl Into<String>, message: Message) -> Self {
        Self { id: id.into(), message }
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
}

impl Page {
    /// A page after which another begins at `next`.
    pub fn new(rows: Vec<Row>, next: Option<String>) -> Self {
        Self { rows, next }
    }
}

/// The store could not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message store failed: {0}")]
pub struct StoreError(String);

impl StoreError {
    /// A failure with this cause.
    pub fn new(cause: impl Into<String>) -> Self {
        Self(cause.into())
    }
}

/// Where conversations are kept. The loop fires `before_create_message` and its like around each change; a store only
/// keeps what it is given.
///
/// A call that is not done within [`Limits::store`](crate::Limits::store) is dropped and has failed; so has one that panics.
pub trait MessageStore: Send + Sync + 'static {
    /// Appends `messages` to the conversation: all of them, or none. Returns them with their ids, as they are stored.
    ///
    /// # Errors
    /// [`StoreError`]; then nothing was appended.
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        messages: Vec<Message>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>>;

    /// Changes the row `id` as [`MessageUpdate::apply`](hooks_core::data::MessageUpdate::apply) says.
    ///
    /// # Errors
    /// [`StoreError`], also where there is no such row; then nothing was changed.
    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
    ) -> BoxFuture<'a, Result<Row, StoreError>>;

    /// The conversation reads as `messages` from now on, which were compacted from its rows so far; rows that are appended
    /// later follow them. What becomes of the rows themselves is the store's business.
    ///
    /// # Errors
    /// [`StoreError`]; then it reads as before.
    fn fold<'a>(&'a self, conversation: &'a str, messages: Vec<Message>) -> BoxFuture<'a, Result<(), StoreError>>;

    /// At most `limit` rows from where a page said that the next begins, or from the first. A conversation that is not
    /// there has no rows.
    ///
    /// # Errors
    /// [`StoreError`].
    fn page<'a>(
        &'a self,
        conversation: &'a str,
        from: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>>;
}

/// Rows that are read at once.
const PAGE: usize = 500;

/// All rows of a conversation.
pub(crate) async fn read(store: &dyn MessageStore, conversation: &str) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    let mut from = None;
    loop {
        let page = store.page(conversation, from.as_deref(), PAGE).await?;
        rows.extend(page.rows);
        match page.next {
            Some(next) if from.as_ref() != Some(&next) => from = Some(next),
            // A store that gives the same page again would be read for ever.
            _ => return Ok(rows),
        }
    }
}
