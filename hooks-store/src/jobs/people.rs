//! Jobs for people: what there is, trying one again, and cleaning up.

use std::time::Duration;

use hooks_agent::store::StoreError;

use super::status::JOB_COLUMNS;
use super::{JobStatus, StoredAttempt, StoredJob};
use crate::clock::{millis, now};
use crate::error::failed;
use crate::store::Store;

/// Which jobs are asked for.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JobFilter {
    statuses: Vec<JobStatus>,
    hook: Option<String>,
    conversation: Option<String>,
}

impl JobFilter {
    /// All of them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those that ended and not well: failed, interrupted, quarantined.
    pub fn needing_attention() -> Self {
        Self {
            statuses: JobStatus::ALL.into_iter().filter(|status| status.needs_attention()).collect(),
            ..Self::default()
        }
    }

    /// Those that have come to this, or to another one that was given.
    pub fn status(mut self, status: JobStatus) -> Self {
        self.statuses.push(status);
        self
    }

    /// Those of this hook.
    pub fn hook(mut self, id: impl Into<String>) -> Self {
        self.hook = Some(id.into());
        self
    }

    /// Those of this conversation.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = Some(id.into());
        self
    }

    /// As a condition, and what is bound from `$1` on.
    fn condition(&self) -> (String, Vec<&str>) {
        let (mut parts, mut bound) = (vec!["1 = 1".to_owned()], Vec::new());
        if !self.statuses.is_empty() {
            let words: Vec<_> = self.statuses.iter().map(|status| format!("'{status}'")).collect();
            parts.push(format!("status IN ({})", words.join(", ")));
        }
        for (column, value) in [("hook", &self.hook), ("conversation", &self.conversation)] {
            if let Some(value) = value {
                bound.push(value.as_str());
                parts.push(format!("{column} = ${}", bound.len()));
            }
        }
        (parts.join(" AND "), bound)
    }
}

impl Store {
    /// The jobs that `filter` asks for, the newest first, at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn jobs(&self, filter: &JobFilter, limit: u32) -> Result<Vec<StoredJob>, StoreError> {
        let (condition, bound) = filter.condition();
        let jobs = format!(
            "SELECT {JOB_COLUMNS} FROM hooks_jobs WHERE {condition} ORDER BY created_at DESC, id DESC LIMIT ${}",
            bound.len() + 1
        );
        let mut jobs = sqlx::query(sqlx::AssertSqlSafe(jobs));
        for value in bound {
            jobs = jobs.bind(value.to_owned());
        }
        let jobs = jobs.bind(i64::from(limit)).fetch_all(&self.database.readers).await;
        let jobs = jobs.and_then(|rows| rows.iter().map(StoredJob::read).collect());
        jobs.map_err(|error| failed(&error))
    }

    /// One job; `None` where there is none of this id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn job(&self, id: &str) -> Result<Option<StoredJob>, StoreError> {
        let job = format!("SELECT {JOB_COLUMNS} FROM hooks_jobs WHERE id = $1");
        let job = sqlx::query(sqlx::AssertSqlSafe(job)).bind(id).fetch_optional(&self.database.readers).await;
        let job = job.and_then(|row| row.as_ref().map(StoredJob::read).transpose());
        job.map_err(|error| failed(&error))
    }

    /// Every start of a job, the first one first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn attempts(&self, job: &str) -> Result<Vec<StoredAttempt>, StoreError> {
        let attempts = "SELECT attempt, worker, started_at, ended_at, status, cause FROM hooks_attempts WHERE job = $1 ORDER BY start";
        let attempts = sqlx::query(attempts).bind(job).fetch_all(&self.database.readers).await;
        let attempts = attempts.and_then(|rows| rows.iter().map(StoredAttempt::read).collect());
        attempts.map_err(|error| failed(&error))
    }

    /// Queues a job again that failed, was interrupted or quarantined, as if it had never run. `false` where it is none of
    /// these, or not there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn retry(&self, job: &str) -> Result<bool, StoreError> {
        let again = "UPDATE hooks_jobs SET status = 'queued', code = NULL, cause = NULL, attempt = 1, deaths = 0, run_at = $2, \
                     ended_at = NULL WHERE id = $1 AND status IN ('failed', 'interrupted', 'quarantined')";
        let again = async {
            let mut tx = self.database.write().await?;
            let changed = sqlx::query(again).bind(job).bind(now()).execute(&mut *tx).await?.rows_affected();
            tx.commit().await?;
            Ok(changed == 1)
        };
        again.await.map_err(|error| failed(&error))
    }

    /// Removes the jobs that ended well longer ago than `age`. Returns how many.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remove_done_jobs(&self, age: Duration) -> Result<u64, StoreError> {
        let remove = async {
            let mut tx = self.database.write().await?;
            let old = "DELETE FROM hooks_jobs WHERE status = 'done' AND ended_at < $1";
            let removed =
                sqlx::query(old).bind(now().saturating_sub(millis(age))).execute(&mut *tx).await?.rows_affected();
            tx.commit().await?;
            Ok(removed)
        };
        remove.await.map_err(|error| failed(&error))
    }
}
