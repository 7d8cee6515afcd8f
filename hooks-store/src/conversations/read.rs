//! Reading.

use hooks_agent::store::{Conversations, Page, Row, StoreError};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Found, Tx, readable};
use crate::error::failed;
use crate::store::Store;

const FIND: &str = "SELECT number, changes, next_place, last_row FROM hooks_conversations WHERE id = $1";

/// The conversation, locked with `lock` until the transaction ends.
pub(super) async fn find(tx: &mut Tx<'_>, conversation: &str, lock: &str) -> Result<Option<Found>, sqlx::Error> {
    let find = sqlx::AssertSqlSafe(format!("{FIND}{lock}"));
    let found = sqlx::query(find).bind(conversation).fetch_optional(&mut **tx).await?;
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

/// What a model reads.
pub(super) async fn page(
    store: &Store,
    conversation: &str,
    from: Option<&str>,
    limit: usize,
) -> Result<Page, StoreError> {
    let mut tx = store.database.read().await.map_err(|error| failed(&error))?;
    let Some(found) = find(&mut tx, conversation, "").await.map_err(|error| failed(&error))? else {
        return Ok(Page::default());
    };
    let place: i64 = match from {
        None => 0,
        Some(from) => {
            let place = "SELECT place FROM hooks_messages WHERE conversation = $1 AND id = $2 AND place IS NOT NULL";
            let place = sqlx::query_scalar(place).bind(found.number).bind(from).fetch_optional(&mut *tx).await;
            place.map_err(|error| failed(&error))?.ok_or(StoreError::Conflict)?
        }
    };
    let rows = "SELECT id, message FROM hooks_messages WHERE conversation = $1 AND place >= $2 ORDER BY place LIMIT $3";
    let rows = sqlx::query(rows).bind(found.number).bind(place).bind(one_more(limit)).fetch_all(&mut *tx).await;
    page_of(rows.map_err(|error| failed(&error))?, limit, &found)
}

/// Every row.
pub(super) async fn history(
    store: &Store,
    conversation: &str,
    from: Option<&str>,
    limit: usize,
) -> Result<Page, StoreError> {
    let mut tx = store.database.read().await.map_err(|error| failed(&error))?;
    let Some(found) = find(&mut tx, conversation, "").await.map_err(|error| failed(&error))? else {
        return Ok(Page::default());
    };
    let rows = "SELECT id, message FROM hooks_messages WHERE conversation = $1 AND id >= $2 ORDER BY id LIMIT $3";
    let from = from.unwrap_or_default();
    let rows = sqlx::query(rows).bind(found.number).bind(from).bind(one_more(limit)).fetch_all(&mut *tx).await;
    page_of(rows.map_err(|error| failed(&error))?, limit, &found)
}

/// The conversations that have rows.
pub(super) async fn conversations(
    store: &Store,
    from: Option<&str>,
    limit: usize,
) -> Result<Conversations, StoreError> {
    let ids = "SELECT id FROM hooks_conversations WHERE id >= $1 ORDER BY id LIMIT $2";
    let ids = sqlx::query_scalar(ids).bind(from.unwrap_or_default()).bind(one_more(limit));
    let mut ids: Vec<String> = ids.fetch_all(&store.database.readers).await.map_err(|error| failed(&error))?;
    let next = (ids.len() > limit).then(|| ids.pop()).flatten();
    Ok(Conversations::new(ids, next))
}

/// With one more row than was asked for it is known where the next page begins.
fn one_more(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX - 1).saturating_add(1)
}

/// A row that cannot be read hides no other one.
fn page_of(mut rows: Vec<AnyRow>, limit: usize, found: &Found) -> Result<Page, StoreError> {
    let next = (rows.len() > limit).then(|| rows.pop()).flatten();
    let next = next.map(|row| row.try_get(0)).transpose().map_err(|error| failed(&error))?;
    let mut page = Vec::with_capacity(rows.len());
    for row in rows {
        let (id, text) = row
            .try_get(0)
            .and_then(|id: String| Ok((id, row.try_get::<String, _>(1)?)))
            .map_err(|error| failed(&error))?;
        match readable(&id, &text) {
            Ok(message) => page.push(Row::new(id, message)),
            Err(error) => tracing::error!(target: "hooks_store", row = id, %error, "a row was left out"),
        }
    }
    Ok(Page::new(page, next, found.version()))
}
