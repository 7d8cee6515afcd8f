//! Heartbeats of what this process holds: the lease of a conversation, or a running job.
//!
//! A heartbeat increments a counter. Other processes measure with their own monotonic clocks how long it has stood still,
//! so no wall clock decides who is dead.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::database::Database;
use crate::error::Failure;

/// Statements on a row that this process holds. `$1` is the key of the row. `$2` is a number that no other holder has.
pub(crate) struct Held {
    pub(crate) key: String,
    pub(crate) number: i64,
    /// Increments the counter.
    pub(crate) beat: &'static str,
    /// Gives the row up.
    pub(crate) release: Option<&'static str>,
}

/// Sends heartbeats until it is dropped, and then gives the row up.
///
/// They run on the thread of the store, so code of the app that blocks its own thread does not stop them.
pub(crate) struct Heartbeat {
    _end: oneshot::Sender<()>,
}

impl Heartbeat {
    pub(crate) fn start(database: &Database, every: Duration, held: Held) -> Self {
        let (end, mut ended) = oneshot::channel();
        let on = database.clone();
        database.spawn(async move {
            let key = &held.key;
            while timeout(every, &mut ended).await.is_err() {
                match held.change(&on, held.beat).await {
                    Ok(true) => {}
                    // Another process has taken over, and the database rejects what this one writes about the row.
                    Ok(false) => return,
                    Err(error) => {
                        tracing::error!(target: "hooks_store", key, %error, "a heartbeat could not be written");
                    }
                }
            }
            let Some(release) = held.release else { return };
            while let Err(error) = held.change(&on, release).await {
                tracing::error!(target: "hooks_store", key, %error, "a conversation is not released yet");
                if error.is_closed() {
                    return;
                }
                sleep(every).await;
            }
        });
        Self { _end: end }
    }
}

impl Held {
    /// Changes the row. Returns `false` if another process has taken over.
    async fn change(&self, database: &Database, change: &'static str) -> Result<bool, Failure> {
        let (key, number) = (self.key.clone(), self.number);
        let changed = database.write(move |tx| {
            Box::pin(async move { Ok(sqlx::query(change).bind(key).bind(number).execute(&mut **tx).await?) })
        });
        Ok(changed.await?.rows_affected() == 1)
    }
}
