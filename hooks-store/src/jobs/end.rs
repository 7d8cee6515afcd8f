//! Writing how a start of a job ended.

use std::time::Duration;

use crate::clock::{millis, now};
use crate::database::Database;
use crate::jobs::{Claimed, JobStatus};

/// How a start of a job ended.
pub(crate) struct End {
    /// What the job has come to.
    pub(crate) status: JobStatus,
    /// How the start of it ended, in a word.
    pub(crate) word: String,
    /// Why it could not be run.
    pub(crate) code: Option<&'static str>,
    pub(crate) cause: Option<String>,
    /// After which time the next attempt is due.
    pub(crate) again: Option<Duration>,
}

/// Writes it. `false` where the job was taken from the worker meanwhile, because it was thought to be gone: then the end of
/// this start is noted, and what the job has come to is left as it is.
pub(crate) async fn end(database: &Database, claimed: &Claimed, end: &End) -> Result<bool, sqlx::Error> {
    let mut tx = database.write().await?;
    let now = now();
    let job = "UPDATE hooks_jobs SET status = $3, code = $4, cause = $5, attempt = $6, run_at = $7, ended_at = $8 \
               WHERE id = $1 AND start = $2 AND status = 'running'";
    let (attempt, run_at, ended_at) = match end.again {
        Some(wait) => (claimed.attempt + 1, now.saturating_add(millis(wait)), None),
        None => (claimed.attempt, now, Some(now)),
    };
    let job = sqlx::query(job)
        .bind(&claimed.id)
        .bind(claimed.start)
        .bind(end.status.as_str())
        .bind(end.code)
        .bind(&end.cause)
        .bind(attempt)
        .bind(run_at)
        .bind(ended_at);
    let kept = job.execute(&mut *tx).await?.rows_affected() == 1;
    // Behind the job, as everywhere: two transactions never wait for each other.
    let attempt = "UPDATE hooks_attempts SET ended_at = $3, status = $4, cause = $5 WHERE job = $1 AND start = $2";
    let noted = sqlx::query(attempt).bind(&claimed.id).bind(claimed.start).bind(now).bind(&end.word).bind(&end.cause);
    noted.execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(kept)
}
