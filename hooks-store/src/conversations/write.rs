//! Writes conversations. Each function runs in a transaction, which its caller commits.

use std::collections::HashSet;

use hook_sdk::data::{Block, Message, MessageUpdate};
use hooks_agent::caller_of;
use hooks_agent::store::{Append, Fold, FoldEntry, Row, StoreError, Version, Written};
use uuid::Uuid;

use super::read::{find, lock};
use super::{Found, readable};
use crate::database::{Tx, writable};
use crate::error::Failure;
use crate::{jobs, questions};

/// Locks a conversation until the transaction ends, and creates it if it does not exist. `seen` is the version that the
/// caller has read.
async fn hold(tx: &mut Tx, conversation: &str, seen: Option<Version>) -> Result<Found, Failure> {
    let (found, begun) = match lock(tx, conversation).await? {
        Some(found) => (found, false),
        None => {
            let insert = "INSERT INTO hooks_conversations (id, changes, next_place, last_row) VALUES ($1, 0, 0, '') \
                         ON CONFLICT (id) DO NOTHING";
            let begun = sqlx::query(insert).bind(conversation).execute(&mut **tx).await?.rows_affected() == 1;
            (lock(tx, conversation).await?.ok_or(StoreError::Conflict)?, begun)
        }
    };
    // A caller that has read an empty conversation has not read the one that another process has just created.
    let current = if begun { Version::default() } else { found.version() };
    if seen.is_some_and(|seen| seen != current) { Err(StoreError::Conflict.into()) } else { Ok(found) }
}

/// Writes the state of a conversation and increments its version.
async fn keep(tx: &mut Tx, found: &mut Found) -> Result<Version, Failure> {
    found.changes += 1;
    let keep = "UPDATE hooks_conversations SET changes = $2, next_place = $3, last_row = $4 WHERE number = $1";
    let keep = sqlx::query(keep).bind(found.number).bind(found.changes).bind(found.next_place).bind(&found.last_row);
    keep.execute(&mut **tx).await?;
    Ok(found.version())
}

/// Inserts a message as a row at a position of the current view, or only in the history.
async fn insert(tx: &mut Tx, found: &mut Found, message: Message, place: Option<i64>) -> Result<Row, Failure> {
    let text = writable("a message", &message)?;
    let id = id_after(&found.last_row);
    let insert = "INSERT INTO hooks_messages (conversation, id, place, message) VALUES ($1, $2, $3, $4)";
    let insert = sqlx::query(insert).bind(found.number).bind(&id).bind(place).bind(text);
    insert.execute(&mut **tx).await?;
    found.last_row.clone_from(&id);
    Ok(Row::new(id, message))
}

/// An id that is greater than `last`, even if another machine with a fast clock wrote that row.
fn id_after(last: &str) -> String {
    let id = Row::new_id();
    if id.as_str() > last {
        return id;
    }
    Uuid::parse_str(last).map_or(id, |last| Uuid::from_u128(last.as_u128().wrapping_add(1)).to_string())
}

pub(super) async fn append(tx: &mut Tx, conversation: String, append: Append) -> Result<Written, Failure> {
    let Append { seen, messages, jobs, .. } = append;
    if messages.is_empty() {
        let found = find(tx, &conversation).await?;
        let version = found.map(|found| found.version()).unwrap_or_default();
        return if seen.is_some_and(|seen| seen != version) {
            Err(StoreError::Conflict.into())
        } else {
            Ok(Written::new(Vec::new(), version))
        };
    }
    let mut found = hold(tx, &conversation, seen).await?;
    let mut rows = Vec::with_capacity(messages.len());
    for message in messages {
        let place = found.next_place;
        // A call with a result is over, whatever became of the process that asked about it.
        for block in &message.content {
            if let Block::ToolResult(result) = block {
                questions::close_of(tx, &conversation, &result.call_id).await?;
            }
        }
        let row = insert(tx, &mut found, message, Some(place)).await?;
        found.next_place += 1;
        for job in jobs.iter().flat_map(|jobs| jobs.of(&row)) {
            // One job per hook and row, even if it is queued several times.
            let dedup = format!("{}:{}", row.id, job.name());
            jobs::insert(tx, &job, &dedup).await??;
        }
        rows.push(row);
    }
    let version = keep(tx, &mut found).await?;
    Ok(Written::new(rows, version))
}

/// Stores a new conversation. The current view contains the messages that are marked with `true`.
pub(super) async fn create(
    tx: &mut Tx,
    conversation: String,
    messages: Vec<(Message, bool)>,
) -> Result<Vec<Row>, Failure> {
    let mut found = hold(tx, &conversation, Some(Version::default())).await?;
    // As after a fold.
    found.next_place = i64::from(messages.iter().any(|(_, is_read)| !is_read));
    let mut rows = Vec::with_capacity(messages.len());
    for (message, is_read) in messages {
        let place = is_read.then_some(found.next_place);
        rows.push(insert(tx, &mut found, message, place).await?);
        found.next_place += 1;
    }
    keep(tx, &mut found).await?;
    Ok(rows)
}

pub(super) async fn update(
    tx: &mut Tx,
    conversation: String,
    id: String,
    update: MessageUpdate,
) -> Result<Row, Failure> {
    let missing = || StoreError::new(format!("`{conversation}` has no row `{id}`"));
    let mut found = lock(tx, &conversation).await?.ok_or_else(missing)?;
    let text = "SELECT message FROM hooks_messages WHERE conversation = $1 AND id = $2";
    let text: Option<String> = sqlx::query_scalar(text).bind(found.number).bind(&id).fetch_optional(&mut **tx).await?;
    let message = readable(&id, &text.ok_or_else(missing)?)?;
    let message = update.apply(&message).map_err(|error| StoreError::new(format!("row `{id}`: {error}")))?;
    let text = writable("a message", &message)?;
    let update = "UPDATE hooks_messages SET message = $3 WHERE conversation = $1 AND id = $2";
    let update = sqlx::query(update).bind(found.number).bind(&id).bind(text);
    update.execute(&mut **tx).await?;
    keep(tx, &mut found).await?;
    Ok(Row::new(id, message))
}

pub(super) async fn fold(tx: &mut Tx, conversation: String, fold: Fold) -> Result<Written, Failure> {
    let mut found = hold(tx, &conversation, Some(fold.seen)).await?;
    // All rows get new positions after the last one, so that no two rows ever have the same position.
    let clear = "UPDATE hooks_messages SET place = NULL WHERE conversation = $1 AND place IS NOT NULL";
    sqlx::query(clear).bind(found.number).execute(&mut **tx).await?;
    let first = found.next_place;
    let (mut named, mut kept, mut rows) = (HashSet::new(), Vec::with_capacity(fold.entries.len()), Vec::new());
    for entry in fold.entries {
        let place = found.next_place;
        match entry {
            FoldEntry::Row(id) if !named.insert(id.clone()) => {
                return Err(StoreError::new(format!("the fold names the row `{id}` twice")).into());
            }
            FoldEntry::Row(id) => kept.push(id),
            FoldEntry::New(message) => {
                let row = insert(tx, &mut found, message, Some(place)).await?;
                // Its new position, which is its index in the list, is set below.
                kept.push(row.id.clone());
                rows.push(row);
            }
        }
        found.next_place += 1;
    }
    let list = writable("a fold", &kept)?;
    let place = tx.dialect.place_rows();
    let place = sqlx::query(place).bind(found.number).bind(list).bind(first);
    let placed = place.execute(&mut **tx).await?;
    if placed.rows_affected() != kept.len() as u64 {
        return Err(StoreError::new("the fold names a row that does not exist").into());
    }
    let version = keep(tx, &mut found).await?;
    Ok(Written::new(rows, version))
}

/// Deletes a conversation with those of the agents that its turns called. Returns whether there was anything of it.
pub(super) async fn delete(tx: &mut Tx, conversation: String) -> Result<bool, Failure> {
    let below = below(tx, &conversation).await?;
    let mut all = vec![conversation];
    let mut at = 0;
    while let Some(caller) = all.get(at).cloned() {
        let calls = calls_of(tx, &caller).await?;
        let is_called = |id: &&String| caller_of(id).is_some_and(|(of, call)| of == caller && calls.contains(&call));
        all.extend(below.iter().filter(is_called).cloned());
        at += 1;
    }
    let mut removed = 0;
    for conversation in all {
        removed += delete_one(tx, &conversation).await?;
    }
    Ok(removed > 0)
}

/// What the conversations of called agents have for an id: that of their caller, a `/`, and something. An agent without a
/// row can have jobs, questions and dispatches.
async fn below(tx: &mut Tx, caller: &str) -> Result<Vec<String>, Failure> {
    let prefix = format!("{caller}/");
    let starts = |table: &str, id: &str| format!("SELECT {id} FROM {table} WHERE substr({id}, 1, $2) = $1");
    let found = [
        starts("hooks_conversations", "id"),
        starts("hooks_jobs", "conversation"),
        starts("hooks_questions", "conversation"),
        starts("hooks_dispatches", "conversation"),
    ];
    let length = i32::try_from(prefix.chars().count()).unwrap_or(i32::MAX);
    let found = sqlx::query_scalar(sqlx::AssertSqlSafe(found.join(" UNION "))).bind(prefix).bind(length);
    Ok(found.fetch_all(&mut **tx).await?)
}

/// The ids of the calls in a conversation.
pub(super) async fn calls_of(tx: &mut Tx, conversation: &str) -> Result<HashSet<String>, Failure> {
    let Some(found) = find(tx, conversation).await? else { return Ok(HashSet::new()) };
    let messages = "SELECT message FROM hooks_messages WHERE conversation = $1";
    let messages: Vec<String> = sqlx::query_scalar(messages).bind(found.number).fetch_all(&mut **tx).await?;
    let messages = messages.iter().filter_map(|text| serde_json::from_str::<Message>(text).ok());
    Ok(messages.flat_map(|message| message.tool_calls().map(|call| call.id.clone()).collect::<Vec<_>>()).collect())
}

/// Returns how many rows it removed.
async fn delete_one(tx: &mut Tx, conversation: &str) -> Result<u64, Failure> {
    let mut removed = 0;
    for delete in [
        "DELETE FROM hooks_conversations WHERE id = $1",
        // A job contains what was said. A worker that runs one of them writes no end any more.
        "DELETE FROM hooks_jobs WHERE conversation = $1",
        "DELETE FROM hooks_dispatches WHERE conversation = $1",
        "DELETE FROM hooks_questions WHERE conversation = $1",
    ] {
        removed += sqlx::query(delete).bind(conversation).execute(&mut **tx).await?.rows_affected();
    }
    for lease in [
        "DELETE FROM hooks_leases WHERE conversation = $1 AND holder IS NULL",
        // A holder loses its lease.
        "UPDATE hooks_leases SET token = token + 1, holder = NULL WHERE conversation = $1",
    ] {
        sqlx::query(lease).bind(conversation).execute(&mut **tx).await?;
    }
    Ok(removed)
}
