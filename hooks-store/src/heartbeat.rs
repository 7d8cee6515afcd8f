//! Heartbeats of what this process holds: the lease of a conversation, or a running job.
//!
//! A heartbeat increments a counter. Other processes measure with their own monotonic clocks how long it has stood still,
//! so no wall clock decides who is dead.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::database::Database;
use crate::error::Failure;

/// How long to wait before giving a row up is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// Statements on a row that this process holds. `$1` is the key of the row, `$2` the number of this time that it was
/// taken, and `$3` the holder: if a commit failed, another holder can get the same number.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) key: String,
    pub(crate) number: i64,
    pub(crate) holder: Arc<str>,
    /// Increments the counter.
    pub(crate) beat: &'static str,
    /// Gives the row up. Further statements run if the first one has changed it.
    pub(crate) release: &'static [&'static str],
    /// Whether the row is given up after the last heartbeat.
    pub(crate) is_released: bool,
}

/// Sends heartbeats until it is dropped.
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
                match held.change(&on, vec![held.beat]).await {
                    Ok(true) => {}
                    // Another process has taken over, and the database rejects what this one writes about the row.
                    Ok(false) => return,
                    Err(error) => {
                        tracing::error!(target: "hooks_store", key, %error, "a heartbeat could not be written");
                    }
                }
            }
            if held.is_released {
                held.give_up(&on).await;
            }
        });
        Self { _end: end }
    }
}

impl Held {
    /// Gives the row up if this process holds it. Tries until the database has answered.
    pub(crate) async fn give_up(&self, database: &Database) {
        while let Err(error) = self.change(database, self.release.to_vec()).await {
            tracing::error!(target: "hooks_store", key = self.key, %error, "a conversation or a job is not given up yet");
            if error.is_closed() {
                return;
            }
            sleep(PAUSE).await;
        }
    }

    /// Changes the row. Returns `false` if this process does not hold it.
    async fn change(&self, database: &Database, statements: Vec<&'static str>) -> Result<bool, Failure> {
        let Self { key, number, holder, .. } = self.clone();
        let changed = database.write(move |tx| {
            Box::pin(async move {
                for statement in statements {
                    let change = sqlx::query(statement).bind(&key).bind(number).bind(&*holder);
                    if change.execute(&mut **tx).await?.rows_affected() == 0 {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        });
        changed.await
    }
}
