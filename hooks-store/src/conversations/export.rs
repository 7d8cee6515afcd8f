//! Exports conversations of any length.

use hook_sdk::data::Message;
use hooks_agent::store::StoreError;
use serde::Serialize;
use sqlx::Row as _;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::read::find;
use super::readable;
use crate::database::{SLOW, Tx};
use crate::error::Failure;
use crate::store::Store;

/// The maximum number of rows in memory.
const PAGE: usize = 200;

/// A row of an exported conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExportedRow {
    /// The id of the row.
    pub id: String,
    /// Whether the model reads it. It does not read rows that were folded away.
    pub is_read: bool,
    /// The message.
    pub message: Message,
}

/// The rows of a conversation, ordered by id. See [`Store::rows`].
#[derive(Debug)]
#[must_use = "rows are read with `next`"]
pub struct ExportedRows(Receiver<Result<StoredRow, StoreError>>);

#[derive(Debug)]
struct StoredRow {
    id: String,
    is_read: bool,
    text: String,
}

impl ExportedRows {
    /// The next row. `None` after the last one.
    ///
    /// # Errors
    /// [`StoreError`] for a row that cannot be read, which the others follow, or if the database fails, which ends the
    /// rows.
    pub async fn next(&mut self) -> Option<Result<ExportedRow, StoreError>> {
        let row = self.0.recv().await?;
        // Messages are parsed here, and not on the thread that all conversations share.
        Some(row.and_then(|StoredRow { id, is_read, text }| {
            let message = readable(&id, &text)?;
            Ok(ExportedRow { id, is_read, message })
        }))
    }
}

impl Store {
    /// Reads every row that was ever stored in a conversation, a few at a time. Unlike
    /// [`export`](hooks_agent::store::MessageStore::export), it does not keep the conversation in memory.
    ///
    /// The rows are those of one moment. Until the last one is read, a transaction stays open in the database, so read
    /// them without long pauses. A conversation that does not exist has no rows.
    pub fn rows(&self, conversation: &str) -> ExportedRows {
        let (sender, rows) = channel(PAGE);
        let (database, conversation) = (self.database.clone(), conversation.to_owned());
        self.database.spawn(async move {
            let failed = sender.clone();
            if let Err(error) = database.read_within(SLOW, |tx| Box::pin(send(tx, conversation, sender))).await {
                // Fails if nobody reads them any more.
                let _ = failed.send(Err(error.into())).await;
            }
        });
        ExportedRows(rows)
    }
}

impl Store {
    /// Why each row cannot be read that pages leave out.
    pub(crate) async fn unreadable_rows(&self) -> Result<Vec<String>, StoreError> {
        let (mut found, mut last) = (Vec::new(), (0_i64, String::new()));
        loop {
            let (number, id) = last.clone();
            let page = self.database.read(move |tx| {
                Box::pin(async move {
                    let page = "SELECT m.conversation, m.id, m.message, c.id FROM hooks_messages m \
                                JOIN hooks_conversations c ON c.number = m.conversation \
                                WHERE (m.conversation, m.id) > ($1, $2) ORDER BY m.conversation, m.id LIMIT $3";
                    let page = sqlx::query_as(page).bind(number).bind(id).bind(i64::try_from(PAGE).unwrap_or(i64::MAX));
                    Ok(page.fetch_all(&mut **tx).await?)
                })
            });
            let page: Vec<(i64, String, String, String)> = page.await?;
            let Some((number, id, ..)) = page.last() else { return Ok(found) };
            last = (*number, id.clone());
            for (_, id, text, conversation) in &page {
                if let Err(error) = readable(id, text) {
                    found.push(format!("`{conversation}`: {error}"));
                }
            }
        }
    }
}

/// Sends all rows, in one transaction.
async fn send(tx: &mut Tx, conversation: String, to: Sender<Result<StoredRow, StoreError>>) -> Result<(), Failure> {
    let Some(found) = find(tx, &conversation).await? else { return Ok(()) };
    let mut last = String::new();
    loop {
        let page =
            "SELECT id, place, message FROM hooks_messages WHERE conversation = $1 AND id > $2 ORDER BY id LIMIT $3";
        let page = sqlx::query(page).bind(found.number).bind(&last).bind(i64::try_from(PAGE).unwrap_or(i64::MAX));
        let page = page.fetch_all(&mut **tx).await?;
        if page.is_empty() {
            return Ok(());
        }
        for row in page {
            let is_read = row.try_get::<Option<i64>, _>(1)?.is_some();
            let row = StoredRow { id: row.try_get(0)?, is_read, text: row.try_get(2)? };
            last.clone_from(&row.id);
            if to.send(Ok(row)).await.is_err() {
                return Ok(());
            }
        }
    }
}
