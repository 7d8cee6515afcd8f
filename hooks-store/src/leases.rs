//! One turn at a time in a conversation, across processes.

mod holder;

use std::time::{Duration, Instant};

use hooks_agent::store::{Lease, StoreError};
use sqlx::{Any, Row as _, Transaction};
use tokio::sync::oneshot;

use crate::clock::now;
use crate::database::Database;
use crate::error::failed;
use crate::store::Store;

/// How often a conversation is looked at that another one holds.
const LOOK: Duration = Duration::from_millis(25);

/// Gives the conversation back when it is dropped.
struct Guard {
    _end: oneshot::Sender<()>,
}

/// What another one holds: its token and how often it showed life.
type Seen = (i64, i64);

/// Waits until the conversation is free, or whoever holds it shows no life any more.
pub(crate) async fn hold(store: &Store, conversation: &str) -> Result<Lease, StoreError> {
    let mut seen: Option<(Seen, Instant)> = None;
    let mut looked = Instant::now();
    loop {
        // Time in which nobody looked, because this process or the database stood still, says nothing of the holder.
        if looked.elapsed() > store.silence / 2 {
            seen = None;
        }
        looked = Instant::now();
        let silent = seen.filter(|(_, since)| since.elapsed() >= store.silence).map(|(seen, _)| seen);
        let (database, of) = (store.database.clone(), conversation.to_owned());
        let attempt = async move { take(&database, &of, silent).await.map_err(|error| failed(&error)) };
        let now = match store.runtime.run(attempt).await? {
            Ok(token) => return Ok(lease(store, conversation, token)),
            Err(now) => now,
        };
        if seen.is_none_or(|(then, _)| then != now) {
            seen = Some((now, Instant::now()));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Takes the conversation where it is free, its holder has ended, or it is still as it was when it was `silent` for too long.
/// The token is greater than any before.
async fn take(database: &Database, conversation: &str, silent: Option<Seen>) -> Result<Result<i64, Seen>, sqlx::Error> {
    let mut tx = database.write().await?;
    // Time makes the first one greater than those of a conversation of this name that was deleted.
    let make =
        "INSERT INTO hooks_leases (conversation, token, beat) VALUES ($1, $2, 0) ON CONFLICT (conversation) DO NOTHING";
    sqlx::query(make).bind(conversation).bind(now()).execute(&mut *tx).await?;
    let found = format!(
        "SELECT token, holder, beat FROM hooks_leases WHERE conversation = $1{}",
        database.dialect.for_update()
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(conversation).fetch_one(&mut *tx).await?;
    let (token, holder, beat): (i64, Option<String>, i64) = (found.try_get(0)?, found.try_get(1)?, found.try_get(2)?);
    if let Some(holder) = holder
        && silent != Some((token, beat))
        && !holder::has_ended(&holder)
    {
        return Ok(Err((token, beat)));
    }
    let take = "UPDATE hooks_leases SET token = $2, holder = $3, beat = 0 WHERE conversation = $1";
    let take = sqlx::query(take).bind(conversation).bind(token + 1).bind(holder::this_process());
    take.execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(Ok(token + 1))
}

/// A lease that shows life until it is dropped, and gives the conversation back then.
fn lease(store: &Store, conversation: &str, token: i64) -> Lease {
    let (end, mut ended) = oneshot::channel();
    let (database, conversation, every) = (store.database.clone(), conversation.to_owned(), store.silence / 3);
    let kept = store.runtime.spawn(async move {
        while tokio::time::timeout(every, &mut ended).await.is_err() {
            match beat(&database, &conversation, token).await {
                Ok(true) => {}
                // Somebody took it over; what is written under it is refused.
                Ok(false) => return,
                Err(error) => {
                    tracing::error!(target: "hooks_store", conversation, %error, "the database refused a beat of a lease");
                }
            }
        }
        if let Err(error) = give_back(&database, &conversation, token).await {
            tracing::error!(target: "hooks_store", conversation, %error, "a conversation is not given back");
        }
    });
    // A store that is closed keeps nothing alive.
    drop(kept);
    Lease::new(u64::try_from(token).unwrap_or_default(), Guard { _end: end })
}

async fn beat(database: &Database, conversation: &str, token: i64) -> Result<bool, sqlx::Error> {
    let beat = "UPDATE hooks_leases SET beat = beat + 1 WHERE conversation = $1 AND token = $2";
    change(database, beat, conversation, token).await
}

async fn give_back(database: &Database, conversation: &str, token: i64) -> Result<bool, sqlx::Error> {
    let free = "UPDATE hooks_leases SET holder = NULL WHERE conversation = $1 AND token = $2";
    change(database, free, conversation, token).await
}

async fn change(
    database: &Database,
    change: &'static str,
    conversation: &str,
    token: i64,
) -> Result<bool, sqlx::Error> {
    let mut tx = database.write().await?;
    let changed = sqlx::query(change).bind(conversation).bind(token).execute(&mut *tx).await?.rows_affected();
    tx.commit().await?;
    Ok(changed == 1)
}

/// Whether a change under `lease` may be made: no later one was given. The lease stays as it is until the transaction ends.
pub(crate) async fn check(
    tx: &mut Transaction<'_, Any>,
    database: &Database,
    conversation: &str,
    lease: Option<u64>,
) -> Result<(), StoreError> {
    let Some(lease) = lease else { return Ok(()) };
    let token = format!("SELECT token FROM hooks_leases WHERE conversation = $1{}", database.dialect.for_update());
    let token = sqlx::query_scalar(sqlx::AssertSqlSafe(token)).bind(conversation).fetch_optional(&mut **tx).await;
    let token: Option<i64> = token.map_err(|error| failed(&error))?;
    if token.and_then(|token| u64::try_from(token).ok()) == Some(lease) { Ok(()) } else { Err(StoreError::LeaseLost) }
}
