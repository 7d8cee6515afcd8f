//! Lists, retries and removes jobs.

use std::time::Duration;

use hooks_agent::store::StoreError;

use super::status::JOB_COLUMNS;
use super::{JobStatus, StoredAttempt, StoredJob};
use crate::clock::{millis, now};
use crate::store::Store;

/// Selects jobs.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JobFilter {
    statuses: Vec<JobStatus>,
    hook: Option<String>,
    conversation: Option<String>,
}

impl JobFilter {
    /// Selects all jobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects jobs that need attention: failed, interrupted or quarantined.
    pub fn needing_attention() -> Self {
        Self {
            statuses: JobStatus::ALL.into_iter().filter(|status| status.needs_attention()).collect(),
            ..Self::default()
        }
    }

    /// Also selects jobs with this status. Without any status, all are selected.
    pub fn status(mut self, status: JobStatus) -> Self {
        self.statuses.push(status);
        self
    }

    /// Selects only jobs of this hook.
    pub fn hook(mut self, id: impl Into<String>) -> Self {
        self.hook = Some(id.into());
        self
    }

    /// Selects only jobs of this conversation.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = Some(id.into());
        self
    }

    /// The condition of a query, and the values of its parameters from `$1` on.
    fn condition(&self) -> (String, Vec<String>) {
        let (mut parts, mut values) = (vec!["1 = 1".to_owned()], Vec::new());
        if !self.statuses.is_empty() {
            let words: Vec<_> = self.statuses.iter().map(|status| format!("'{status}'")).collect();
            parts.push(format!("status IN ({})", words.join(", ")));
        }
        for (column, value) in [("hook", &self.hook), ("conversation", &self.conversation)] {
            if let Some(value) = value {
                values.push(value.clone());
                parts.push(format!("{column} = ${}", values.len()));
            }
        }
        (parts.join(" AND "), values)
    }
}

impl Store {
    /// The jobs that `filter` selects, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn jobs(&self, filter: &JobFilter, limit: u32) -> Result<Vec<StoredJob>, StoreError> {
        let (condition, values) = filter.condition();
        let jobs = format!(
            "SELECT {JOB_COLUMNS} FROM hooks_jobs WHERE {condition} ORDER BY created_at DESC, id DESC LIMIT ${}",
            values.len() + 1
        );
        let jobs = self.database.read(move |tx| {
            Box::pin(async move {
                let mut query = sqlx::query(sqlx::AssertSqlSafe(jobs));
                for value in values {
                    query = query.bind(value);
                }
                let rows = query.bind(i64::from(limit)).fetch_all(&mut **tx).await?;
                Ok(rows.iter().map(StoredJob::read).collect::<Result<_, _>>()?)
            })
        });
        Ok(jobs.await?)
    }

    /// The job with this id. `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn job(&self, id: &str) -> Result<Option<StoredJob>, StoreError> {
        let id = id.to_owned();
        let job = self.database.read(move |tx| {
            Box::pin(async move {
                let job = format!("SELECT {JOB_COLUMNS} FROM hooks_jobs WHERE id = $1");
                let row = sqlx::query(sqlx::AssertSqlSafe(job)).bind(id).fetch_optional(&mut **tx).await?;
                Ok(row.as_ref().map(StoredJob::read).transpose()?)
            })
        });
        Ok(job.await?)
    }

    /// Every start of a job, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn attempts(&self, job: &str) -> Result<Vec<StoredAttempt>, StoreError> {
        let job = job.to_owned();
        let attempts = self.database.read(move |tx| {
            Box::pin(async move {
                let attempts = "SELECT attempt, worker, started_at, ended_at, status, cause FROM hooks_attempts \
                                WHERE job = $1 ORDER BY start";
                let rows = sqlx::query(attempts).bind(job).fetch_all(&mut **tx).await?;
                Ok(rows.iter().map(StoredAttempt::read).collect::<Result<_, _>>()?)
            })
        });
        Ok(attempts.await?)
    }

    /// Queues a failed, interrupted, quarantined or cancelled job again, as if it had never run. Returns `false` if it does
    /// not exist or has another status.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn retry(&self, job: &str) -> Result<bool, StoreError> {
        let job = job.to_owned();
        let retried = self.database.write(move |tx| {
            Box::pin(async move {
                let retry = "UPDATE hooks_jobs SET status = 'queued', code = NULL, cause = NULL, attempt = 1, deaths = 0, \
                             run_at = $2, ended_at = NULL WHERE id = $1 \
                             AND status IN ('failed', 'interrupted', 'quarantined', 'cancelled')";
                Ok(sqlx::query(retry).bind(job).bind(now()).execute(&mut **tx).await?.rows_affected())
            })
        });
        Ok(retried.await? == 1)
    }

    /// Cancels a job that waits for a worker, now or at a later time. Returns `false` if it does not exist or has another
    /// status: a job that runs is not stopped.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn cancel(&self, job: &str) -> Result<bool, StoreError> {
        let job = job.to_owned();
        let cancelled = self.database.write(move |tx| {
            Box::pin(async move {
                let cancel =
                    "UPDATE hooks_jobs SET status = 'cancelled', ended_at = $2 WHERE id = $1 AND status = 'queued'";
                Ok(sqlx::query(cancel).bind(job).bind(now()).execute(&mut **tx).await?.rows_affected())
            })
        });
        Ok(cancelled.await? == 1)
    }

    /// Removes the jobs that were done or cancelled more than `age` ago. Returns their number.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remove_done_jobs(&self, age: Duration) -> Result<u64, StoreError> {
        let removed = self.database.write(move |tx| {
            Box::pin(async move {
                let before = now().saturating_sub(millis(age));
                let remove = "DELETE FROM hooks_jobs WHERE status IN ('done', 'cancelled') AND ended_at < $1";
                Ok(sqlx::query(remove).bind(before).execute(&mut **tx).await?.rows_affected())
            })
        });
        Ok(removed.await?)
    }
}
