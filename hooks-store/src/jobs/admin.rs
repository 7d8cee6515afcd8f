//! Lists, retries and removes jobs.

use std::time::{Duration, SystemTime};

use hooks_agent::store::StoreError;
use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::status::JOB_COLUMNS;
use super::{JobStatus, StoredAttempt, StoredJob};
use crate::clock::{as_optional_millis, millis, now, time};
use crate::error::Failure;
use crate::store::Store;

/// Sets a job as if it had never run. `$1` is the current time.
const QUEUED: &str =
    "status = 'queued', code = NULL, cause = NULL, attempt = 1, deaths = 0, run_at = $1, ended_at = NULL";

/// The job succeeded, or somebody did not want it.
pub(crate) const DONE: &str = "status IN ('done', 'cancelled')";

/// The job ended without success.
const ATTENTION: &str = "status IN ('failed', 'interrupted', 'quarantined')";

/// Selects jobs.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JobFilter {
    statuses: Vec<JobStatus>,
    hook: Option<String>,
    conversation: Option<String>,
    before: Option<String>,
}

/// The jobs of one hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueStats {
    /// The hook.
    pub hook: String,
    /// How many wait, now or for a later time.
    pub queued: i64,
    /// How many of these are due.
    pub due: i64,
    /// How many are running.
    pub running: i64,
    /// How many failed, were interrupted or quarantined.
    pub needing_attention: i64,
    /// Since when the oldest one is due. If that is long ago, no worker has this hook, or the workers are too slow.
    #[serde(serialize_with = "as_optional_millis")]
    pub oldest_due: Option<SystemTime>,
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

    /// Selects only jobs that are listed after this one, for the next page.
    pub fn before(mut self, id: impl Into<String>) -> Self {
        self.before = Some(id.into());
        self
    }

    /// The condition of a query, and the values of its parameters from `first` on.
    fn condition(&self, first: usize) -> (String, Vec<String>) {
        let (mut parts, mut values) = (vec!["1 = 1".to_owned()], Vec::new());
        if !self.statuses.is_empty() {
            let words: Vec<_> = self.statuses.iter().map(|status| format!("'{status}'")).collect();
            parts.push(format!("status IN ({})", words.join(", ")));
        }
        for (column, value) in [("hook", &self.hook), ("conversation", &self.conversation)] {
            if let Some(value) = value {
                values.push(value.clone());
                parts.push(format!("{column} = ${}", first + values.len() - 1));
            }
        }
        if let Some(before) = &self.before {
            values.push(before.clone());
            let last = format!("(SELECT created_at, id FROM hooks_jobs WHERE id = ${})", first + values.len() - 1);
            parts.push(format!("(created_at, id) < {last}"));
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
        let (condition, values) = filter.condition(1);
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
        let retry = format!("UPDATE hooks_jobs SET {QUEUED} WHERE id = $2 AND ({ATTENTION} OR status = 'cancelled')");
        Ok(self.change_jobs(retry, now(), vec![job.to_owned()]).await? == 1)
    }

    /// Queues the failed, interrupted and quarantined jobs again that `filter` selects. Returns their number.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn retry_all(&self, filter: &JobFilter) -> Result<u64, StoreError> {
        let (condition, values) = filter.condition(2);
        self.change_jobs(format!("UPDATE hooks_jobs SET {QUEUED} WHERE {condition} AND {ATTENTION}"), now(), values)
            .await
    }

    /// Cancels a job that waits for a worker, now or at a later time. Returns `false` if it does not exist or has another
    /// status: a job that runs is not stopped.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn cancel(&self, job: &str) -> Result<bool, StoreError> {
        let cancel = "UPDATE hooks_jobs SET status = 'cancelled', ended_at = $1 WHERE id = $2 AND status = 'queued'";
        Ok(self.change_jobs(cancel.to_owned(), now(), vec![job.to_owned()]).await? == 1)
    }

    /// Puts off a job that waits: it is due after `delay`, counted from now. Returns `false` if it does not exist or
    /// does not wait.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn put_off(&self, job: &str, delay: Duration) -> Result<bool, StoreError> {
        let put_off = "UPDATE hooks_jobs SET run_at = $1 WHERE id = $2 AND status = 'queued'".to_owned();
        let at = now().saturating_add(millis(delay));
        Ok(self.change_jobs(put_off, at, vec![job.to_owned()]).await? == 1)
    }

    async fn change_jobs(&self, change: String, at: i64, values: Vec<String>) -> Result<u64, StoreError> {
        let changed = self.database.write(move |tx| {
            Box::pin(async move {
                let change = sqlx::query(sqlx::AssertSqlSafe(change)).bind(at);
                let change = values.into_iter().fold(change, sqlx::query::Query::bind);
                Ok(change.execute(&mut **tx).await?.rows_affected())
            })
        });
        Ok(changed.await?)
    }

    /// The depth of the queue, by hook.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn queue_stats(&self) -> Result<Vec<QueueStats>, StoreError> {
        let rows = self.database.read(|tx| {
            Box::pin(async move {
                let due = "status = 'queued' AND run_at <= $1";
                let count = |of: &str| format!("COALESCE(SUM(CASE WHEN {of} THEN 1 ELSE 0 END), 0)");
                let stats = format!(
                    "SELECT hook, {}, {}, {}, {}, MIN(CASE WHEN {due} THEN run_at END) FROM hooks_jobs \
                     WHERE NOT ({DONE}) GROUP BY hook ORDER BY hook",
                    count("status = 'queued'"),
                    count(due),
                    count("status = 'running'"),
                    count(ATTENTION),
                );
                Ok(sqlx::query(sqlx::AssertSqlSafe(stats)).bind(now()).fetch_all(&mut **tx).await?)
            })
        });
        let read = |row: &AnyRow| -> Result<QueueStats, sqlx::Error> {
            Ok(QueueStats {
                hook: row.try_get(0)?,
                queued: row.try_get(1)?,
                due: row.try_get(2)?,
                running: row.try_get(3)?,
                needing_attention: row.try_get(4)?,
                oldest_due: row.try_get::<Option<i64>, _>(5)?.map(time),
            })
        };
        Ok(rows.await?.iter().map(read).collect::<Result<_, _>>().map_err(Failure::from)?)
    }
}
