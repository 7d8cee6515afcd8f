//! Writing. Each function is a part of a transaction, which its caller commits.

use std::collections::HashSet;

use hooks_agent::store::{Append, Fold, FoldEntry, Row, StoreError, Version, Written};
use hooks_core::data::{Message, MessageUpdate};
use uuid::Uuid;

use super::read::find;
use super::{Found, Tx, readable, unwritable};
use crate::dialect::Dialect;
use crate::error::failed;
use crate::jobs;

/// The conversation, held until the transaction ends; it is made where there is none.
async fn hold(
    tx: &mut Tx<'_>,
    dialect: Dialect,
    conversation: &str,
    seen: Option<Version>,
) -> Result<Found, StoreError> {
    let stored = |found: Result<_, sqlx::Error>| found.map_err(|error| failed(&error));
    let found = match stored(find(tx, conversation, dialect.for_update()).await)? {
        Some(found) => found,
        None if seen.is_some_and(|seen| seen != Version::default()) => return Err(StoreError::Conflict),
        None => {
            let make = "INSERT INTO hooks_conversations (id, changes, next_place, last_row) VALUES ($1, 0, 0, '') \
                        ON CONFLICT (id) DO NOTHING";
            let inserted =
                sqlx::query(make).bind(conversation).execute(&mut **tx).await.map_err(|error| failed(&error))?;
            let found = stored(find(tx, conversation, dialect.for_update()).await)?;
            let found = found.ok_or(StoreError::Conflict)?;
            // Whoever saw nothing has not seen what another one began meanwhile.
            if seen.is_some() && inserted.rows_affected() == 0 {
                return Err(StoreError::Conflict);
            }
            return Ok(found);
        }
    };
    if seen.is_some_and(|seen| seen != found.version()) { Err(StoreError::Conflict) } else { Ok(found) }
}

/// Writes what became of a conversation, as its next version.
async fn keep(tx: &mut Tx<'_>, found: &mut Found) -> Result<Version, StoreError> {
    found.changes += 1;
    let keep = "UPDATE hooks_conversations SET changes = $2, next_place = $3, last_row = $4 WHERE number = $1";
    let keep = sqlx::query(keep).bind(found.number).bind(found.changes).bind(found.next_place).bind(&found.last_row);
    keep.execute(&mut **tx).await.map_err(|error| failed(&error))?;
    Ok(found.version())
}

/// Makes a row of a message, at a place of what is read.
async fn insert(tx: &mut Tx<'_>, found: &mut Found, message: Message, place: i64) -> Result<Row, StoreError> {
    let text = serde_json::to_string(&message).map_err(|error| unwritable(&error))?;
    let id = id_after(&found.last_row);
    let insert = "INSERT INTO hooks_messages (conversation, id, place, message) VALUES ($1, $2, $3, $4)";
    let insert = sqlx::query(insert).bind(found.number).bind(&id).bind(place).bind(text);
    insert.execute(&mut **tx).await.map_err(|error| failed(&error))?;
    found.last_row.clone_from(&id);
    Ok(Row::new(id, message))
}

/// An id of now, or where another machine's clock is ahead, the one after the last.
fn id_after(last: &str) -> String {
    let id = Row::new_id();
    if id.as_str() > last {
        return id;
    }
    Uuid::parse_str(last).map_or(id, |last| Uuid::from_u128(last.as_u128().wrapping_add(1)).to_string())
}

pub(super) async fn append(
    tx: &mut Tx<'_>,
    dialect: Dialect,
    conversation: &str,
    append: Append,
) -> Result<Written, StoreError> {
    let Append { seen, messages, jobs, .. } = append;
    if messages.is_empty() {
        let found = find(tx, conversation, "").await.map_err(|error| failed(&error))?;
        let version = found.map(|found| found.version()).unwrap_or_default();
        return if seen.is_some_and(|seen| seen != version) {
            Err(StoreError::Conflict)
        } else {
            Ok(Written::new(Vec::new(), version))
        };
    }
    let mut found = hold(tx, dialect, conversation, seen).await?;
    let mut rows = Vec::with_capacity(messages.len());
    for message in messages {
        let place = found.next_place;
        let row = insert(tx, &mut found, message, place).await?;
        found.next_place += 1;
        for job in jobs.iter().flat_map(|jobs| jobs.of(&row)) {
            // The run of a hook for this row: however often it is asked for, it is one job.
            let dedup = format!("{}:{}", row.id, job.hook);
            let queued = jobs::insert(tx, &job, &dedup).await.map_err(|error| failed(&error))?;
            queued.map_err(|error| {
                StoreError::new(format!("the job of `{}` cannot be written as JSON: {error}", job.hook))
            })?;
        }
        rows.push(row);
    }
    let version = keep(tx, &mut found).await?;
    Ok(Written::new(rows, version))
}

pub(super) async fn update(
    tx: &mut Tx<'_>,
    dialect: Dialect,
    conversation: &str,
    id: &str,
    update: &MessageUpdate,
) -> Result<Row, StoreError> {
    let missing = || StoreError::new(format!("`{conversation}` has no row `{id}`"));
    let found = find(tx, conversation, dialect.for_update()).await.map_err(|error| failed(&error))?;
    let mut found = found.ok_or_else(missing)?;
    let text = "SELECT message FROM hooks_messages WHERE conversation = $1 AND id = $2";
    let text: Option<String> = sqlx::query_scalar(text)
        .bind(found.number)
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
        .map_err(|error| failed(&error))?;
    let message = readable(id, &text.ok_or_else(missing)?)?;
    let message = update.apply(&message).map_err(|error| StoreError::new(format!("row `{id}`: {error}")))?;
    let text = serde_json::to_string(&message).map_err(|error| unwritable(&error))?;
    let update = "UPDATE hooks_messages SET message = $3 WHERE conversation = $1 AND id = $2";
    let update = sqlx::query(update).bind(found.number).bind(id).bind(text);
    update.execute(&mut **tx).await.map_err(|error| failed(&error))?;
    keep(tx, &mut found).await?;
    Ok(Row::new(id, message))
}

pub(super) async fn fold(
    tx: &mut Tx<'_>,
    dialect: Dialect,
    conversation: &str,
    fold: Fold,
) -> Result<Written, StoreError> {
    let mut found = hold(tx, dialect, conversation, Some(fold.seen)).await?;
    // All of it moves behind the last place, so that no two rows ever have one.
    let clear = "UPDATE hooks_messages SET place = NULL WHERE conversation = $1 AND place IS NOT NULL";
    sqlx::query(clear).bind(found.number).execute(&mut **tx).await.map_err(|error| failed(&error))?;
    let first = found.next_place;
    let (mut named, mut kept, mut rows) = (HashSet::new(), Vec::with_capacity(fold.entries.len()), Vec::new());
    for entry in fold.entries {
        let place = found.next_place;
        match entry {
            FoldEntry::Row(id) if !named.insert(id.clone()) => {
                return Err(StoreError::new(format!("a fold names the row `{id}` twice")));
            }
            FoldEntry::Row(id) => kept.push(id),
            FoldEntry::New(message) => {
                let row = insert(tx, &mut found, message, place).await?;
                // Its place in the list, where it is given the place that it has.
                kept.push(row.id.clone());
                rows.push(row);
            }
        }
        found.next_place += 1;
    }
    let list = serde_json::to_string(&kept).map_err(|error| unwritable(&error))?;
    let place = sqlx::query(dialect.place_rows()).bind(found.number).bind(list).bind(first);
    let placed = place.execute(&mut **tx).await.map_err(|error| failed(&error))?;
    if placed.rows_affected() != kept.len() as u64 {
        return Err(StoreError::new("a fold names a row that is not there"));
    }
    let version = keep(tx, &mut found).await?;
    Ok(Written::new(rows, version))
}

pub(super) async fn delete(tx: &mut Tx<'_>, conversation: &str) -> Result<(), sqlx::Error> {
    for delete in [
        "DELETE FROM hooks_conversations WHERE id = $1",
        "DELETE FROM hooks_jobs WHERE conversation = $1 AND status <> 'running'",
        "DELETE FROM hooks_questions WHERE conversation = $1",
        "DELETE FROM hooks_leases WHERE conversation = $1 AND holder IS NULL",
        // Whoever holds it has lost it.
        "UPDATE hooks_leases SET token = token + 1, holder = NULL WHERE conversation = $1",
    ] {
        sqlx::query(delete).bind(conversation).execute(&mut **tx).await?;
    }
    Ok(())
}
