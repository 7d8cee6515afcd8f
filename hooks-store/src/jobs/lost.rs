//! Jobs whose worker is gone.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use sqlx::Row as _;

use crate::clock::now;
use crate::database::Database;
use crate::jobs::JobStatus;

/// Shows that the worker lives, for all that it runs.
pub(crate) async fn beat(database: &Database, worker: &str) -> Result<(), sqlx::Error> {
    let mut tx = database.write().await?;
    let beat = "UPDATE hooks_jobs SET beat = beat + 1 WHERE worker = $1 AND status = 'running'";
    sqlx::query(beat).bind(worker).execute(&mut *tx).await?;
    tx.commit().await
}

/// Finds jobs whose worker shows no life any more.
///
/// It looks at counts and at its own monotonic clock: no machine's time of day matters.
pub(crate) struct Reaper {
    /// After this time without a beat a worker is gone.
    pub(crate) silence: Duration,
    /// After so many deaths a job is taken for their cause.
    pub(crate) deaths: i64,
    /// What each job that runs was last seen as: its start and beat, and since when.
    seen: HashMap<String, (i64, i64, Instant)>,
    /// When it last looked.
    looked: Instant,
}

impl Reaper {
    pub(crate) fn new(silence: Duration, deaths: i64) -> Self {
        Self { silence, deaths, seen: HashMap::new(), looked: Instant::now() }
    }

    /// Ends the starts whose worker is gone. The job of an idempotent hook is queued again, up to the number of deaths; any
    /// other one is interrupted.
    pub(crate) async fn reap(&mut self, database: &Database) -> Result<(), sqlx::Error> {
        let running = "SELECT id, start, beat FROM hooks_jobs WHERE status = 'running'";
        let running = sqlx::query(running).fetch_all(&database.readers).await?;
        // Time in which this process or the database stood still says nothing of the others: they stood still too.
        if self.looked.elapsed() > self.silence * 2 / 3 {
            self.seen.clear();
        }
        self.looked = Instant::now();
        let mut seen = HashMap::with_capacity(running.len());
        let mut gone = Vec::new();
        for row in running {
            let (id, start, beat): (String, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let since = match self.seen.get(&id) {
                Some((a, b, since)) if (*a, *b) == (start, beat) => *since,
                _ => Instant::now(),
            };
            if since.elapsed() >= self.silence {
                gone.push((id.clone(), start, beat));
            }
            seen.insert(id, (start, beat, since));
        }
        self.seen = seen;
        for (id, start, beat) in gone {
            self.take(database, &id, start, beat).await?;
        }
        Ok(())
    }

    async fn take(&self, database: &Database, id: &str, start: i64, beat: i64) -> Result<(), sqlx::Error> {
        let mut tx = database.write().await?;
        let job = format!(
            "SELECT idempotent, deaths, hook, worker FROM hooks_jobs WHERE id = $1 AND start = $2 AND beat = $3 AND status = 'running'{}",
            database.dialect.skip_locked()
        );
        let job = sqlx::query(sqlx::AssertSqlSafe(job)).bind(id).bind(start).bind(beat);
        // It has ended, shows life, or another one takes it.
        let Some(job) = job.fetch_optional(&mut *tx).await? else { return Ok(()) };
        let (idempotent, deaths): (i64, i64) = (job.try_get(0)?, job.try_get::<i64, _>(1)? + 1);
        let (hook, worker): (String, Option<String>) = (job.try_get(2)?, job.try_get(3)?);
        let worker = worker.unwrap_or_default();
        let (status, cause) = if idempotent == 0 {
            (
                JobStatus::Interrupted,
                format!("the worker {worker} ended while it ran; `{hook}` is not idempotent, so it does not run again"),
            )
        } else if deaths >= self.deaths {
            (JobStatus::Quarantined, format!("{deaths} workers ended while they ran it, the last one was {worker}"))
        } else {
            (JobStatus::Queued, format!("the worker {worker} ended while it ran"))
        };
        let now = now();
        let ended = (status != JobStatus::Queued).then_some(now);
        let take = "UPDATE hooks_jobs SET status = $2, cause = $3, deaths = $4, ended_at = $5 WHERE id = $1";
        let take = sqlx::query(take).bind(id).bind(status.as_str()).bind(&cause).bind(deaths).bind(ended);
        take.execute(&mut *tx).await?;
        let attempt =
            "UPDATE hooks_attempts SET ended_at = $3, status = 'lost', cause = $4 WHERE job = $1 AND start = $2";
        let attempt = sqlx::query(attempt).bind(id).bind(start).bind(now).bind(&cause);
        attempt.execute(&mut *tx).await?;
        tx.commit().await?;
        match status {
            JobStatus::Queued => {
                tracing::warn!(target: "hooks_store", job = id, hook, deaths, cause, "a job runs again");
            }
            _ => {
                tracing::error!(target: "hooks_store", job = id, hook, deaths, cause, %status, "a job ended with its worker");
            }
        }
        Ok(())
    }
}
