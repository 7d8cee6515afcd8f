//! Jobs whose worker has died.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hook_sdk::worker::Burial;
use sqlx::Row as _;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::JobStatus;
use super::end::LOST;
use crate::clock::now;
use crate::database::{Database, Tx};
use crate::error::Failure;

/// Looks for jobs of dead workers, at the pace of heartbeats, until it is dropped.
///
/// It runs on the thread of the store, so that a worker at its limit, or with hooks that block its threads, does not
/// keep the jobs of others from running.
pub(crate) struct Reaping {
    _end: oneshot::Sender<()>,
}

impl Reaping {
    pub(super) fn start(database: &Database, silence: Duration, deaths: u32) -> Self {
        let (end, mut ended) = oneshot::channel();
        let on = database.clone();
        database.spawn(async move {
            let mut reaper = Reaper { silence, deaths, seen: HashMap::new(), looked: Instant::now() };
            loop {
                if let Err(error) = reaper.reap(&on).await {
                    if error.is_closed() {
                        return;
                    }
                    tracing::error!(target: "hooks_store", %error, "the jobs of dead workers are not looked for");
                }
                if timeout(silence / 3, &mut ended).await.is_ok() {
                    return;
                }
            }
        });
        Self { _end: end }
    }
}

/// Finds running jobs without a heartbeat.
struct Reaper {
    /// The worker of a job without a heartbeat for this long is dead.
    silence: Duration,
    /// A job is quarantined after this many workers died while running it.
    deaths: u32,
    /// The start and heartbeat of each running job, and when they were first seen.
    seen: HashMap<String, (i64, i64, Instant)>,
    looked: Instant,
}

impl Reaper {
    /// Ends the starts of dead workers. The jobs of idempotent hooks are queued again until they reach the limit of
    /// deaths. Other jobs are interrupted.
    async fn reap(&mut self, database: &Database) -> Result<(), Failure> {
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
                tracing::error!(target: "hooks_store", job, hook, deaths, cause, %status, "a job was not completed because its worker fell silent");
            }
        }
    }
}

/// Takes a job from its worker, unless it has ended, its worker has sent a heartbeat, or another process takes it.
async fn take(tx: &mut Tx, job: String, start: i64, beat: i64, limit: u32) -> Result<Option<Lost>, Failure> {
    let found = format!(
        "SELECT idempotent, deaths, hook, worker FROM hooks_jobs WHERE id = $1 AND start = $2 AND beat = $3 AND status = 'running'{}",
        tx.dialect.skip_locked()
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(found)).bind(&job).bind(start).bind(beat);
    let Some(found) = found.fetch_optional(&mut **tx).await? else { return Ok(None) };
    let (idempotent, deaths): (i64, i64) = (found.try_get(0)?, found.try_get::<i64, _>(1)? + 1);
    let (hook, worker): (String, Option<String>) = (found.try_get(2)?, found.try_get(3)?);
    let worker = worker.unwrap_or_default();
    let buried = Burial::of_deaths(idempotent != 0, u32::try_from(deaths).unwrap_or(u32::MAX), limit);
    let cause = match buried {
        None => format!("the worker {worker} took it and fell silent"),
        Some(Burial::Interrupted) => format!(
            "the worker {worker} took it and fell silent, and nobody knows how far it ran; `{hook}` is not idempotent, so \
             it does not run again"
        ),
        Some(_) => format!("{deaths} workers took it and fell silent, the last one was {worker}"),
    };
    let status = buried.map_or(JobStatus::Queued, JobStatus::from);
    let now = now();
    let ended = (status != JobStatus::Queued).then_some(now);
    let update = "UPDATE hooks_jobs SET status = $2, cause = $3, deaths = $4, ended_at = $5 WHERE id = $1";
    let update = sqlx::query(update).bind(&job).bind(status.as_str()).bind(&cause).bind(deaths).bind(ended);
    update.execute(&mut **tx).await?;
    let attempt = "UPDATE hooks_attempts SET ended_at = $3, status = $5, cause = $4 WHERE job = $1 AND start = $2";
    let attempt = sqlx::query(attempt).bind(&job).bind(start).bind(now).bind(&cause).bind(LOST);
    attempt.execute(&mut **tx).await?;
    Ok(Some(Lost { job, hook, status, deaths, cause }))
}
