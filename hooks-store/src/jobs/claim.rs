//! Claims a job in order to run it.

use std::sync::Arc;
use std::time::Duration;

use hook_sdk::detached::Job;
use sqlx::Row as _;
use sqlx::any::AnyArguments;

use super::JobStatus;
use crate::clock::{millis, now};
use crate::database::{Database, Tx};
use crate::error::Failure;
use crate::heartbeat::{Heartbeat, Held};

type Query<'q> = sqlx::query::Query<'q, sqlx::Any, AnyArguments>;

/// A job that a worker has started.
pub(crate) struct Claimed {
    pub(crate) start: Start,
    /// Each job has its own heartbeat.
    _heartbeat: Heartbeat,
}

/// A claim on its way to its worker. If the worker was dropped meanwhile, the job is given up: nothing has run.
struct Sent {
    database: Database,
    held: Option<Held>,
}

impl Drop for Sent {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else { return };
        let database = self.database.clone();
        self.database.spawn(async move { held.give_up(&database).await });
    }
}

/// One start of a job.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) job: String,
    /// Starts are numbered. Only the latest start can end the job.
    pub(crate) number: i64,
    pub(crate) attempt: i64,
}

/// Which jobs a worker may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Jobs during which at least two workers have died. Such a job runs alone in its worker, so that it does not
    /// affect other jobs.
    Alone,
    /// All other jobs.
    Shared,
}

impl Due {
    /// A condition on the column `deaths`. The index for such jobs has the same condition.
    fn condition(self) -> &'static str {
        match self {
            Self::Alone => "deaths >= 2",
            Self::Shared => "deaths < 2",
        }
    }
}

/// The hooks of a worker. It leaves jobs of other hooks to workers of another version, and takes them only after a delay.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) hooks: Arc<[String]>,
    /// How long a job of another hook is left to other workers after it is due.
    pub(crate) patience: Duration,
}

impl Known {
    /// The condition of a query, with parameters from `first` on, which [`bind`](Self::bind) binds.
    fn condition(&self, first: usize) -> String {
        let hooks = (0..self.hooks.len()).map(|place| format!("${}", first + 1 + place)).collect::<Vec<_>>().join(", ");
        if hooks.is_empty() {
            format!("run_at <= ${first}")
        } else {
            format!("(run_at <= ${first} OR hook IN ({hooks}))")
        }
    }

    fn bind<'q>(&self, query: Query<'q>) -> Query<'q> {
        let query = query.bind(now().saturating_sub(millis(self.patience)));
        self.hooks.iter().fold(query, |query, hook| query.bind(hook.clone()))
    }
}

/// A job is due. `$1` is the current time. A job without a delay is always due, even if the clock was set back since it
/// was queued, or is behind that of the machine that queued it.
const DUE: &str = "status = 'queued' AND (run_at <= $1 OR run_at = created_at)";

/// Whether a job is due. Takes no write lock.
pub(crate) async fn is_due(database: &Database, due: Due, known: Known) -> Result<bool, Failure> {
    let found =
        format!("SELECT id FROM hooks_jobs WHERE {DUE} AND {} AND {} LIMIT 1", due.condition(), known.condition(2));
    is_found(database, found, known, |query| query.bind(now())).await
}

/// Whether there are jobs that this worker may run, now or later.
pub(crate) async fn is_any_left(database: &Database, known: Known) -> Result<bool, Failure> {
    let found =
        format!("SELECT id FROM hooks_jobs WHERE status IN ('queued', 'running') AND {} LIMIT 1", known.condition(1));
    is_found(database, found, known, |query| query).await
}

async fn is_found(
    database: &Database,
    found: String,
    known: Known,
    bind: impl FnOnce(Query<'static>) -> Query<'static> + Send + 'static,
) -> Result<bool, Failure> {
    let found = database.read(move |tx| {
        Box::pin(async move {
            let found = known.bind(bind(sqlx::query(sqlx::AssertSqlSafe(found))));
            Ok(found.fetch_optional(&mut **tx).await?)
        })
    });
    Ok(found.await?.is_some())
}

/// Claims the next job for a worker, and records the start before the job runs. The job can be unreadable.
pub(crate) async fn claim(
    database: &Database,
    worker: &Arc<str>,
    due: Due,
    known: Known,
    silence: Duration,
) -> Result<Option<(Result<Job, String>, Claimed)>, Failure> {
    let (on, holder) = (database.clone(), Arc::clone(worker));
    let claiming = database.spawn(async move {
        let by = Arc::clone(&holder);
        let (taken, doubt) = on.write_in_doubt(move |tx| Box::pin(take(tx, by, due, known))).await?;
        let Some((start, text)) = taken else { return doubt.map_or(Ok(None), Err) };
        let held = Held {
            key: start.job.clone(),
            number: start.number,
            holder,
            beat: "UPDATE hooks_jobs SET beat = beat + 1 \
                   WHERE id = $1 AND start = $2 AND worker = $3 AND status = 'running'",
            release: &[
                "UPDATE hooks_jobs SET status = 'queued' \
                 WHERE id = $1 AND start = $2 AND worker = $3 AND status = 'running'",
                "DELETE FROM hooks_attempts WHERE job = $1 AND start = $2 AND worker = $3",
            ],
            is_released: false,
        };
        if let Some(doubt) = doubt {
            // Before the worker makes another claim, which could have the same number.
            held.give_up(&on).await;
            return Err(doubt);
        }
        Ok(Some((start, text, Sent { database: on, held: Some(held) })))
    });
    let claimed = claiming.await.map_err(|error| Failure::of_work(&error))??;
    let Some((start, text, mut sent)) = claimed else { return Ok(None) };
    let Some(held) = sent.held.take() else { return Ok(None) };
    let heartbeat = Heartbeat::start(database, silence / 3, held);
    let job = serde_json::from_str::<Job>(&text).map_err(|error| format!("the stored job cannot be read: {error}"));
    let job = job.map(|mut job| {
        job.attempt = u32::try_from(start.attempt).unwrap_or(u32::MAX);
        job
    });
    Ok(Some((job, Claimed { start, _heartbeat: heartbeat })))
}

async fn take(tx: &mut Tx, worker: Arc<str>, due: Due, known: Known) -> Result<Option<(Start, String)>, Failure> {
    let next = format!(
        "SELECT id, job, attempt, start FROM hooks_jobs WHERE {DUE} AND {} AND {} \
         ORDER BY run_at, id LIMIT 1{}",
        due.condition(),
        known.condition(2),
        tx.dialect.skip_locked()
    );
    let next = known.bind(sqlx::query(sqlx::AssertSqlSafe(next)).bind(now())).fetch_optional(&mut **tx).await?;
    let Some(row) = next else { return Ok(None) };
    let start = Start { job: row.try_get(0)?, attempt: row.try_get(2)?, number: row.try_get::<i64, _>(3)? + 1 };
    let run = "UPDATE hooks_jobs SET status = $2, worker = $3, start = $4, beat = 0 WHERE id = $1";
    let run = sqlx::query(run).bind(&start.job).bind(JobStatus::Running.as_str()).bind(&*worker).bind(start.number);
    run.execute(&mut **tx).await?;
    let attempt = "INSERT INTO hooks_attempts (job, start, attempt, worker, started_at) VALUES ($1, $2, $3, $4, $5)";
    let attempt =
        sqlx::query(attempt).bind(&start.job).bind(start.number).bind(start.attempt).bind(&*worker).bind(now());
    attempt.execute(&mut **tx).await?;
    Ok(Some((start, row.try_get(1)?)))
}
