//! Leases: only one turn at a time runs in a conversation, across processes.

mod cut_off;
mod holder;

use std::time::{Duration, Instant};

use hooks_agent::store::{Lease, StoreError};
use sqlx::Row as _;

use crate::clock::now;
use crate::database::Tx;
use crate::error::Failure;
use crate::heartbeat::{Heartbeat, Held};
use crate::ids;
use crate::store::Store;

/// How often to check whether a conversation is free.
const LOOK: Duration = Duration::from_millis(25);

/// The token of a holder, and its number of heartbeats.
type Seen = (i64, i64);

/// Waits until the conversation is free or its holder has had no heartbeat for too long, and then takes it.
pub(crate) async fn take(store: &Store, conversation: &str) -> Result<Lease, StoreError> {
    ids::check("conversation", conversation)?;
    let mut seen: Option<(Seen, Instant)> = None;
    let mut looked = Instant::now();
    loop {
        // If this process or the database was suspended, heartbeats of the holder may have been missed, so start again.
        if looked.elapsed() > store.silence / 2 {
            seen = None;
        }
        looked = Instant::now();
        let silent = seen.filter(|(_, since)| since.elapsed() >= store.silence).map(|(seen, _)| seen);
        let id = conversation.to_owned();
        let (of, on) = (id.clone(), store.clone());
        // The lease is made on the thread of the store, so that a caller who stopped waiting gives it up.
        let taking = store.database.spawn(async move {
            let taken = on.database.write(move |tx| Box::pin(try_take(tx, id, silent))).await?;
            Ok::<_, Failure>(taken.map(|token| lease(&on, &of, token)))
        });
        let now = match taking.await.map_err(|error| Failure::of_work(&error))?? {
            Ok(lease) => return Ok(lease),
            Err(now) => now,
        };
        if seen.is_none_or(|(then, _)| then != now) {
            seen = Some((now, Instant::now()));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Takes the conversation if it is free, if the process of its holder has ended, or if its holder is unchanged since it
/// was found `silent`. The new token is greater than all earlier ones.
async fn try_take(tx: &mut Tx, conversation: String, silent: Option<Seen>) -> Result<Result<i64, Seen>, Failure> {
    // A conversation with the same id may have been deleted. Starting at the current time makes the token greater than
    // all of its tokens.
    let make =
        "INSERT INTO hooks_leases (conversation, token, beat) VALUES ($1, $2, 0) ON CONFLICT (conversation) DO NOTHING";
    sqlx::query(make).bind(&conversation).bind(now()).execute(&mut **tx).await?;
    let lock = tx.dialect.for_update();
    let found = format!("SELECT token, holder, beat FROM hooks_leases WHERE conversation = $1{lock}");
    let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(&conversation).fetch_one(&mut **tx).await?;
    let (token, holder, beat): (i64, Option<String>, i64) = (found.try_get(0)?, found.try_get(1)?, found.try_get(2)?);
    if let Some(holder) = holder
        && silent != Some((token, beat))
        && !holder::has_ended(&holder)
    {
        return Ok(Err((token, beat)));
    }
    let take = "UPDATE hooks_leases SET token = $2, holder = $3, beat = 0 WHERE conversation = $1";
    let take = sqlx::query(take).bind(&conversation).bind(token + 1).bind(holder::this_process());
    take.execute(&mut **tx).await?;
    Ok(Ok(token + 1))
}

/// A lease with regular heartbeats until it is dropped, which releases the conversation.
fn lease(store: &Store, conversation: &str, token: i64) -> Lease {
    let held = Held {
        key: conversation.to_owned(),
        number: token,
        holder: holder::this_process().into(),
        beat: "UPDATE hooks_leases SET beat = beat + 1 WHERE conversation = $1 AND token = $2 AND holder = $3",
        release: &["UPDATE hooks_leases SET holder = NULL WHERE conversation = $1 AND token = $2 AND holder = $3"],
        is_released: true,
    };
    let heartbeat = Heartbeat::start(&store.database, store.silence / 3, held);
    Lease::new(u64::try_from(token).unwrap_or_default(), heartbeat)
}

/// Like [`check`], for a change that may come without a lease.
pub(crate) async fn check_any(tx: &mut Tx, conversation: &str, lease: Option<u64>) -> Result<(), Failure> {
    match lease {
        Some(lease) => check(tx, conversation, lease).await,
        None => Ok(()),
    }
}

/// Rejects a change under `lease` if there is a later lease. The lease cannot change until the transaction ends.
async fn check(tx: &mut Tx, conversation: &str, lease: u64) -> Result<(), Failure> {
    let lock = tx.dialect.for_update();
    let token = format!("SELECT token FROM hooks_leases WHERE conversation = $1{lock}");
    let token: Option<i64> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(token)).bind(conversation).fetch_optional(&mut **tx).await?;
    let holds = token.and_then(|token| u64::try_from(token).ok()) == Some(lease);
    if holds { Ok(()) } else { Err(StoreError::LeaseLost.into()) }
}
