//! Writes the end of a job's start.

use std::time::Duration;

use super::JobStatus;
use super::claim::Start;
use crate::clock::{millis, now};
use crate::database::{Database, Tx};
use crate::error::Failure;

/// The status of an attempt whose job was taken from its worker.
pub(super) const LOST: &str = "lost";

/// The end of a job's start.
#[derive(Clone)]
pub(crate) struct End {
    /// The new status of the job.
    pub(crate) status: JobStatus,
    /// The status of the run, as records show it.
    pub(crate) word: String,
    /// Why the job could not be run.
    pub(crate) code: Option<&'static str>,
    pub(crate) cause: Option<String>,
    /// The delay before the next attempt.
    pub(crate) again: Option<Duration>,
}

/// Writes the end of a start. Returns `false` if the worker was declared dead and has lost the job: then only the
/// attempt is updated. An end that is stored already, by a commit that was not confirmed, is not written again.
pub(crate) async fn end(database: &Database, start: &Start, end: &End) -> Result<bool, Failure> {
    let (start, mut end) = (start.clone(), end.clone());
    // A cause is what a service said, such as the URL of the request.
    end.cause = end.cause.map(|cause| hooks_secrets::redact(&cause).unwrap_or(cause));
    database.write(move |tx| Box::pin(write(tx, start, end))).await
}

async fn write(tx: &mut Tx, start: Start, end: End) -> Result<bool, Failure> {
    let before = "SELECT status FROM hooks_attempts WHERE job = $1 AND start = $2";
    let before = sqlx::query_scalar(before).bind(&start.job).bind(start.number).fetch_optional(&mut **tx);
    let before: Option<Option<String>> = before.await?;
    if before.flatten().is_some_and(|status| status != LOST) {
        return Ok(true);
    }
    let now = now();
    let (attempt, run_at, ended_at) = match end.again {
        Some(wait) => (start.attempt + 1, Some(now.saturating_add(millis(wait))), None),
        None => (start.attempt, None, Some(now)),
    };
    let job = "UPDATE hooks_jobs SET status = $3, code = $4, cause = $5, attempt = $6, \
               run_at = COALESCE($7, run_at), ended_at = $8 \
               WHERE id = $1 AND start = $2 AND status = 'running'";
    let job = sqlx::query(job)
        .bind(&start.job)
        .bind(start.number)
        .bind(end.status.as_str())
        .bind(end.code)
        .bind(&end.cause)
        .bind(attempt)
        .bind(run_at)
        .bind(ended_at);
    let ended = job.execute(&mut **tx).await?.rows_affected() == 1;
    // Every transaction locks the job before its attempts, which prevents deadlocks.
    let attempt = "UPDATE hooks_attempts SET ended_at = $3, status = $4, cause = $5 WHERE job = $1 AND start = $2";
    let attempt = sqlx::query(attempt).bind(start.job).bind(start.number).bind(now).bind(end.word).bind(end.cause);
    attempt.execute(&mut **tx).await?;
    Ok(ended)
}
