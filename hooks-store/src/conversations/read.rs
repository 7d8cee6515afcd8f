//! Reads conversations.

use hooks_agent::store::{Conversations, Page, Row, StoreError};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Found, readable};
use crate::database::Tx;
use crate::error::Failure;
use crate::ids;
use crate::store::Store;

/// Finds a conversation.
pub(super) async fn find(tx: &mut Tx, conversation: &str) -> Result<Option<Found>, Failure> {
    found(tx, conversation, "").await
}

/// Finds a conversation and locks it until the transaction ends.
pub(super) async fn lock(tx: &mut Tx, conversation: &str) -> Result<Option<Found>, Failure> {
    let lock = tx.dialect.for_update();
    found(tx, conversation, lock).await
}

async fn found(tx: &mut Tx, conversation: &str, lock: &str) -> Result<Option<Found>, Failure> {
    let find = format!("SELECT number, changes, next_place, last_row FROM hooks_conversations WHERE id = $1{lock}");
    let found = sqlx::query(sqlx::AssertSqlSafe(find)).bind(conversation).fetch_optional(&mut **tx).await?;
    let read = |row: AnyRow| {
        Ok(Found {
            number: row.try_get(0)?,
            changes: row.try_get(1)?,
            next_place: row.try_get(2)?,
            last_row: row.try_get(3)?,
        })
    };
    found.map(read).transpose()
}

/// Which rows to read.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    /// Those that the model reads.
    Page,
    /// All.
    History,
}

/// Rows of a conversation, starting at the row `from`.
pub(super) async fn rows(
    store: &Store,
    conversation: &str,
    from: Option<&str>,
    limit: usize,
    reading: Reading,
) -> Result<Page, StoreError> {
    ids::check("conversation", conversation)?;
    let (conversation, from) = (conversation.to_owned(), from.map(str::to_owned));
    let read = store.database.read(move |tx| {
        Box::pin(async move {
            let Some(found) = find(tx, &conversation).await? else { return Ok(None) };
            let rows = match reading {
                Reading::Page => {
                    let first = match from {
                        Some(from) => place(tx, &found, &from).await?,
                        None => 0,
                    };
                    let rows = "SELECT id, message, place FROM hooks_messages WHERE conversation = $1 AND place >= $2 \
                                ORDER BY place LIMIT $3";
                    sqlx::query(rows).bind(found.number).bind(first)
                }
                Reading::History => {
                    let rows = "SELECT id, message, place FROM hooks_messages WHERE conversation = $1 AND id >= $2 \
                                ORDER BY id LIMIT $3";
                    sqlx::query(rows).bind(found.number).bind(from.unwrap_or_default())
                }
            };
            Ok(Some((rows.bind(one_more(limit)).fetch_all(&mut **tx).await?, found)))
        })
    });
    // Messages are parsed here, and not on the thread that all conversations share.
    match read.await? {
        Some((rows, found)) => Ok(page_of(rows, limit, &found)?),
        None => Ok(Page::default()),
    }
}

/// The position of a row in the current view. It is a conflict if the row has been folded away.
async fn place(tx: &mut Tx, found: &Found, row: &str) -> Result<i64, Failure> {
    let place = "SELECT place FROM hooks_messages WHERE conversation = $1 AND id = $2 AND place IS NOT NULL";
    let place = sqlx::query_scalar(place).bind(found.number).bind(row).fetch_optional(&mut **tx).await?;
    Ok(place.ok_or(StoreError::Conflict)?)
}

/// The conversations that have rows.
pub(super) async fn conversations(
    store: &Store,
    from: Option<&str>,
    limit: usize,
) -> Result<Conversations, StoreError> {
    let from = from.unwrap_or_default().to_owned();
    let ids = store.database.read(move |tx| {
        Box::pin(async move {
            let ids = "SELECT id FROM hooks_conversations WHERE id >= $1 ORDER BY id LIMIT $2";
            Ok(sqlx::query_scalar(ids).bind(from).bind(one_more(limit)).fetch_all(&mut **tx).await?)
        })
    });
    let mut ids: Vec<String> = ids.await?;
    let next = (ids.len() > limit).then(|| ids.pop()).flatten();
    Ok(Conversations::new(ids, next))
}

/// One additional row shows where the next page begins.
fn one_more(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX - 1).saturating_add(1)
}

/// A row that cannot be parsed is skipped and reported. The others are returned.
fn page_of(mut rows: Vec<AnyRow>, limit: usize, found: &Found) -> Result<Page, Failure> {
    let next = (rows.len() > limit).then(|| rows.pop()).flatten();
    let next = next.map(|row| row.try_get(0)).transpose()?;
    // Every fold gives its rows positions behind those before.
    let first: Option<i64> = rows.first().map(|row| row.try_get(2)).transpose()?.flatten();
    let mut page = Vec::with_capacity(rows.len());
    for row in rows {
        let (id, text): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        match readable(&id, &text) {
            Ok(message) => page.push(Row::new(id, message)),
            Err(error) => tracing::error!(target: "hooks_store", row = id, %error, "a row was skipped"),
        }
    }
    Ok(Page::new(page, next, found.version()).complete(first == Some(0)))
}
