//! Jobs whose worker has died.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use sqlx::Row as _;

use crate::clock::now;
use crate::database::{Database, Tx};
use crate::error::Failure;
use crate::jobs::JobStatus;

/// Finds running jobs without a heartbeat.
pub(crate) struct Reaper {
    /// The worker of a job without a heartbeat for this long is dead.
    silence: Duration,
    /// A job is quarantined after this many workers died while running it.
    deaths: i64,
    /// The start and heartbeat of each running job, and when they were first seen.
    seen: HashMap<String, (i64, i64, Instant)>,
    looked: Instant,
}

impl Reaper {
    pub(crate) fn new(silence: Duration, deaths: i64) -> Self {
        Self { silence, deaths, seen: HashMap::new(), looked: Instant::now() }
    }

    /// Ends the starts of dead workers. The jobs of idempotent hooks are queued again until they reach the limit of
    /// deaths. Other jobs are interrupted.
    pub(crate) async fn reap(&mut self, database: &Database) -> Result<(), Failure> {
        let running = database.read(|tx| {
            Box::pin(async move {
                let running = "SELECT id, start, beat FROM hooks_jobs WHERE status = 'running'";
                Ok(sqlx::query(running).fetch_all(&mut **tx).await?)
            })
        });
        let running = running.await?;
        // If this process or the database was suspended, heartbeats of other workers may have been missed, so start
        // again.
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
            let deaths = self.deaths;
            if let Some(lost) = database.write(move |tx| Box::pin(take(tx, id, start, beat, deaths))).await? {
                lost.report();
            }
        }
        Ok(())
    }
}

/// A job whose worker has died.
struct Lost {
    job: String,
    hook: String,
    status: JobStatus,
    deaths: i64,
    cause: String,
}

impl Lost {
    fn report(&self) {
        let Self { job, hook, status, deaths, cause } = self;
        match status {
            JobStatus::Queued => tracing::warn!(target: "hooks_store", job, hook, deaths, cause, "a job runs again"),
            _ => {
                tracing::error!(target: "hooks_store", job, hook, deaths, cause, %status, "a job was not completed because its worker died");
            }
        }
    }
}

/// Takes a job from its worker, unless it has ended, its worker has sent a heartbeat, or another process takes it.
async fn take(tx: &mut Tx, job: String, start: i64, beat: i64, limit: i64) -> Result<Option<Lost>, Failure> {
    let found = format!(
        "SELECT idempotent, deaths, hook, worker FROM hooks_jobs WHERE id = $1 AND start = $2 AND beat = $3 AND status = 'running'{}",
        tx.dialect.skip_locked()
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(&job).bind(start).bind(beat);
    let Some(found) = found.fetch_optional(&mut **tx).await? else { return Ok(None) };
    let (idempotent, deaths): (i64, i64) = (found.try_get(0)?, found.try_get::<i64, _>(1)? + 1);
    let (hook, worker): (String, Option<String>) = (found.try_get(2)?, found.try_get(3)?);
    let worker = worker.unwrap_or_default();
    let (status, cause) = if idempotent == 0 {
        (
            JobStatus::Interrupted,
            format!("the worker {worker} ended while it ran; `{hook}` is not idempotent, so it does not run again"),
        )
    } else if deaths >= limit {
        (JobStatus::Quarantined, format!("{deaths} workers ended while they ran it, the last one was {worker}"))
    } else {
        (JobStatus::Queued, format!("the worker {worker} ended while it ran"))
    };
    let now = now();
    let ended = (status != JobStatus::Queued).then_some(now);
    let update = "UPDATE hooks_jobs SET status = $2, cause = $3, deaths = $4, ended_at = $5 WHERE id = $1";
    let update = sqlx::query(update).bind(&job).bind(status.as_str()).bind(&cause).bind(deaths).bind(ended);
    update.execute(&mut **tx).await?;
    let attempt = "UPDATE hooks_attempts SET ended_at = $3, status = 'lost', cause = $4 WHERE job = $1 AND start = $2";
    let attempt = sqlx::query(attempt).bind(&job).bind(start).bind(now).bind(&cause);
    attempt.execute(&mut **tx).await?;
    Ok(Some(Lost { job, hook, status, deaths, cause }))
}
