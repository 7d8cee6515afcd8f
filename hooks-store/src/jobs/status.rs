//! The status of jobs and attempts.

use std::fmt;
use std::time::SystemTime;

use serde::Serialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::clock::{as_millis, as_optional_millis, time};

/// The status of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JobStatus {
    /// It is waiting for a worker, now or at a later time.
    Queued,
    /// A worker is running it.
    Running,
    /// It succeeded.
    Done,
    /// Its last attempt failed, or it could not be run at all.
    Failed,
    /// The worker that had taken it has died, and it is unknown how far it ran, if at all. The hook is not idempotent,
    /// so the job is not run again.
    Interrupted,
    /// Too many workers died after they had taken it, so it is probably the cause.
    Quarantined,
    /// Somebody cancelled it before a worker took it.
    Cancelled,
}

impl JobStatus {
    pub(super) const ALL: [Self; 7] =
        [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Interrupted, Self::Quarantined, Self::Cancelled];

    /// The name in the database and in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Quarantined => "quarantined",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the job needs attention, because it ended without success.
    pub const fn needs_attention(self) -> bool {
        matches!(self, Self::Failed | Self::Interrupted | Self::Quarantined)
    }

    fn read(word: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.as_str() == word).unwrap_or(Self::Failed)
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A stored job. Its payload is not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredJob {
    /// Its id.
    pub id: String,
    /// The hook.
    pub hook: String,
    /// The kind that was fired.
    pub kind: String,
    /// The conversation. Empty outside of conversations.
    pub conversation: String,
    /// The status.
    pub status: JobStatus,
    /// Why it could not be started: `unknown_hook`, `disabled`, `no_plugin`, `not_background`, `unreadable`.
    pub code: Option<String>,
    /// The cause of the failure.
    pub cause: Option<String>,
    /// The number of the next attempt, or of the last one. Starts at 1.
    pub attempt: i64,
    /// The maximum number of attempts.
    pub max_attempts: i64,
    /// Whether the hook is idempotent, so that the job may run twice.
    pub idempotent: bool,
    /// How many workers died while they ran it.
    pub deaths: i64,
    /// The worker that runs it, or ran it last.
    pub worker: Option<String>,
    /// When it is due.
    #[serde(serialize_with = "as_millis")]
    pub run_at: SystemTime,
    /// When it was queued.
    #[serde(serialize_with = "as_millis")]
    pub created_at: SystemTime,
    /// When it ended.
    #[serde(serialize_with = "as_optional_millis")]
    pub ended_at: Option<SystemTime>,
}

/// One start of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoredAttempt {
    /// The number of the attempt. If the worker dies, the attempt is not counted, and the next start has the same
    /// number.
    pub attempt: i64,
    /// The worker that ran it.
    pub worker: String,
    /// When it started.
    #[serde(serialize_with = "as_millis")]
    pub started_at: SystemTime,
    /// When it ended. `None` while it is running.
    #[serde(serialize_with = "as_optional_millis")]
    pub ended_at: Option<SystemTime>,
    /// How it ended, as a word: the status in the record of the run, or `lost` if the worker died.
    pub status: Option<String>,
    /// The cause of the failure.
    pub cause: Option<String>,
}

pub(crate) const JOB_COLUMNS: &str = "id, hook, kind, conversation, status, code, cause, attempt, max_attempts, idempotent, deaths, worker, \
     run_at, created_at, ended_at";

impl StoredJob {
    pub(crate) fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            hook: row.try_get("hook")?,
            kind: row.try_get("kind")?,
            conversation: row.try_get("conversation")?,
            status: JobStatus::read(&row.try_get::<String, _>("status")?),
            code: row.try_get("code")?,
            cause: row.try_get("cause")?,
            attempt: row.try_get("attempt")?,
            max_attempts: row.try_get("max_attempts")?,
            idempotent: row.try_get::<i64, _>("idempotent")? != 0,
            deaths: row.try_get("deaths")?,
            worker: row.try_get("worker")?,
            run_at: time(row.try_get("run_at")?),
            created_at: time(row.try_get("created_at")?),
            ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(time),
        })
    }
}

impl StoredAttempt {
    pub(crate) fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            attempt: row.try_get("attempt")?,
            worker: row.try_get("worker")?,
            started_at: time(row.try_get("started_at")?),
            ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(time),
            status: row.try_get("status")?,
            cause: row.try_get("cause")?,
        })
    }
}
