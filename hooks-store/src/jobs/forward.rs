//! Hands queued jobs to another queue.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use sqlx::Row as _;
use tokio::time::sleep;

use crate::clock::now;
use crate::error::Failure;
use crate::store::Store;

/// How many jobs are read at once.
const BATCH: usize = 256;

/// How often the store is asked for jobs.
const POLL: Duration = Duration::from_millis(500);

/// A queued job: its id, its JSON, its attempt and when it is due.
type Queued = (String, String, i64, i64);

impl Store {
    /// Hands the queued jobs to another queue until `stop` is cancelled. So a job is committed with its row, and runs where
    /// the workers of that queue are. Here it is then done. A job that the queue refuses stays, with a warning.
    ///
    /// If the process dies after the queue has accepted a job, the job is handed over again: the queue has to recognise it by
    /// its id, as the one of `hooks-nats` does. Several processes can do this at the same time, but no
    /// [`JobWorker`](crate::JobWorker) may use this store: it could run the same jobs.
    pub async fn forward_jobs(&self, queue: impl BackgroundSink, stop: CancellationToken) {
        let queue = Arc::new(queue);
        let mut after = String::new();
        loop {
            let forwarded = stop.run_until_cancelled(self.forward(&queue, &mut after)).await;
            match forwarded {
                None => return,
                Some(Ok(true)) => continue,
                Some(Ok(false)) => {}
                Some(Err(failure)) if failure.is_closed() => return,
                Some(Err(failure)) => tracing::warn!(%failure, "jobs cannot be forwarded"),
            }
            after.clear();
            if stop.run_until_cancelled(sleep(POLL)).await.is_none() {
                return;
            }
        }
    }

    /// Forwards the jobs whose ids follow `after`. `false` if these were the last.
    async fn forward(&self, queue: &Arc<impl BackgroundSink>, after: &mut String) -> Result<bool, Failure> {
        let first = after.clone();
        let queued = self.database.read(move |tx| {
            Box::pin(async move {
                let found = "SELECT id, job, attempt, run_at FROM hooks_jobs \
                            WHERE status = 'queued' AND id > $1 ORDER BY id LIMIT $2";
                let found = sqlx::query(found).bind(first).bind(i64::try_from(BATCH).unwrap_or(i64::MAX));
                let rows = found.fetch_all(&mut **tx).await?;
                let read = |row: &sqlx::any::AnyRow| -> Result<Queued, sqlx::Error> {
                    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?))
                };
                Ok(rows.iter().map(read).collect::<Result<Vec<_>, _>>()?)
            })
        });
        let queued = queued.await?;
        let is_full = queued.len() == BATCH;
        for (id, text, attempt, due) in queued {
            after.clone_from(&id);
            let mut job: Job = match serde_json::from_str(&text) {
                Ok(job) => job,
                Err(error) => {
                    tracing::warn!(job = id, %error, "a job cannot be read, and is not forwarded");
                    continue;
                }
            };
            job.attempt = u32::try_from(attempt).unwrap_or(u32::MAX);
            job.delay = Duration::from_millis(u64::try_from(due.saturating_sub(now())).unwrap_or_default());
            let to = Arc::clone(queue);
            let accepted = tokio::task::spawn_blocking(move || to.enqueue(job)).await;
            match accepted.map_err(|error| Failure::of_work(&error))? {
                Ok(()) => self.forwarded(id).await?,
                Err(error @ EnqueueError::Failed(_)) => {
                    tracing::warn!(job = id, %error, "a job was refused, and stays in the store");
                }
                // The others would meet the same.
                Err(error) => {
                    tracing::warn!(%error, "jobs cannot be forwarded now");
                    return Ok(false);
                }
            }
        }
        Ok(is_full)
    }

    async fn forwarded(&self, id: String) -> Result<(), Failure> {
        let done = self.database.write(move |tx| {
            Box::pin(async move {
                let done = "UPDATE hooks_jobs SET status = 'done', cause = 'forwarded', ended_at = $2 \
                            WHERE id = $1 AND status = 'queued'";
                sqlx::query(done).bind(id).bind(now()).execute(&mut **tx).await?;
                Ok(())
            })
        });
        done.await
    }
}
