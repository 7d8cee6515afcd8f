//! Taking a job to run it.

use hooks_core::detached::Job;
use sqlx::Row as _;

use crate::clock::now;
use crate::database::Database;
use crate::jobs::JobStatus;

/// A job that so many workers ended with runs alone in its worker, so that it takes no other one with it.
pub(crate) const RUNS_ALONE: i64 = 2;

/// A job that this worker runs now.
pub(crate) struct Claimed {
    pub(crate) id: String,
    /// Which start of it this is: whoever has an older one cannot end it.
    pub(crate) start: i64,
    pub(crate) attempt: i64,
    /// The job, or why it cannot be read.
    pub(crate) job: Result<Job, String>,
}

/// Whether a job is due: one of those that run alone where `alone`, and one of the others where not. It takes no lock that writes.
pub(crate) async fn is_due(database: &Database, alone: bool) -> Result<bool, sqlx::Error> {
    let due = format!(
        "SELECT id FROM hooks_jobs WHERE status = 'queued' AND run_at <= $1 AND deaths {} $2 LIMIT 1",
        compared(alone)
    );
    let due = sqlx::query(sqlx::AssertSqlSafe(due)).bind(now()).bind(RUNS_ALONE);
    Ok(due.fetch_optional(&database.readers).await?.is_some())
}

fn compared(alone: bool) -> &'static str {
    if alone { ">=" } else { "<" }
}

/// The next job that is due; of those that run alone where `alone`, and of the others where not. What it is started as stands in
/// the database before it starts.
pub(crate) async fn claim(database: &Database, worker: &str, alone: bool) -> Result<Option<Claimed>, sqlx::Error> {
    if !is_due(database, alone).await? {
        return Ok(None);
    }
    let mut tx = database.write().await?;
    let next = format!(
        "SELECT id, job, attempt, start FROM hooks_jobs WHERE status = 'queued' AND run_at <= $1 AND deaths {} $2 \
         ORDER BY priority DESC, run_at, id LIMIT 1{}",
        compared(alone),
        database.dialect.skip_locked()
    );
    let next = sqlx::query(sqlx::AssertSqlSafe(next)).bind(now()).bind(RUNS_ALONE);
    let Some(row) = next.fetch_optional(&mut *tx).await? else { return Ok(None) };
    let (id, text): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (attempt, start): (i64, i64) = (row.try_get(2)?, row.try_get::<i64, _>(3)? + 1);
    let run = "UPDATE hooks_jobs SET status = $2, worker = $3, start = $4, beat = 0 WHERE id = $1";
    let run = sqlx::query(run).bind(&id).bind(JobStatus::Running.as_str()).bind(worker).bind(start);
    run.execute(&mut *tx).await?;
    let note = "INSERT INTO hooks_attempts (job, start, attempt, worker, started_at) VALUES ($1, $2, $3, $4, $5)";
    let note = sqlx::query(note).bind(&id).bind(start).bind(attempt).bind(worker).bind(now());
    note.execute(&mut *tx).await?;
    tx.commit().await?;
    let job = serde_json::from_str::<Job>(&text).map_err(|error| format!("the stored job cannot be read: {error}"));
    let job = job.map(|mut job| {
        job.attempt = u32::try_from(attempt).unwrap_or(u32::MAX);
        job
    });
    Ok(Some(Claimed { id, start, attempt, job }))
}
