//! Queues jobs.

use hook_sdk::detached::Job;
use hooks_agent::store::StoreError;

use crate::clock::{millis, now};
use crate::database::{Tx, writable};
use crate::error::Failure;
use crate::jobs::JobStatus;

/// Queues a job within a transaction, unless a job with this key exists. The outer error is that of the database. The
/// inner one means that the job cannot be written.
pub(crate) async fn insert(tx: &mut Tx, job: &Job, dedup: &str) -> Result<Result<(), StoreError>, Failure> {
    let text = match writable(&format!("the job of `{}`", job.hook), job) {
        Ok(text) => text,
        Err(error) => return Ok(Err(error)),
    };
    let now = now();
    let insert = "INSERT INTO hooks_jobs (id, hook, kind, conversation, dedup, job, status, attempt, max_attempts, idempotent, deaths, \
                  run_at, created_at, start, beat) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, 0, 0) ON CONFLICT (dedup) DO NOTHING";
    sqlx::query(insert)
        .bind(&job.id)
        .bind(job.hook.as_str())
        .bind(&job.kind)
        .bind(job.context.conversation.as_deref().unwrap_or_default())
        .bind(dedup)
        .bind(text)
        .bind(JobStatus::Queued.as_str())
        .bind(i64::from(job.attempt))
        .bind(i64::from(job.max_attempts))
        .bind(i64::from(job.idempotent))
        .bind(now.saturating_add(millis(job.delay)))
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(Ok(()))
}
