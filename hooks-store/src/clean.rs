//! Removes what is over, and gives its space back.

use std::time::Duration;

use hooks_agent::store::StoreError;
use serde::Serialize;

use crate::clock::{millis, now};
use crate::database::SLOW;
use crate::dialect::Dialect;
use crate::error::Failure;
use crate::jobs::DONE;
use crate::store::Store;

/// How many rows one transaction removes.
const PIECE: u64 = 5_000;

/// What [`Store::clean`] removes.
#[derive(Clone, Debug)]
#[must_use = "give it to `Store::clean`"]
pub struct Cleaning {
    age: Duration,
    failed_jobs: bool,
    dry_run: bool,
}

/// How much was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cleaned {
    /// Jobs that are over.
    pub jobs: u64,
    /// Questions on which a turn has acted.
    pub questions: u64,
    /// Recorded dispatches.
    pub dispatches: u64,
}

impl Cleaning {
    /// Selects what was over more than `age` ago: completed and cancelled jobs, closed questions, recorded dispatches.
    /// Conversations are never selected, nor questions on whose answer or end no turn has acted.
    pub fn older_than(age: Duration) -> Self {
        Self { age, failed_jobs: false, dry_run: false }
    }

    /// Also selects jobs that failed, were interrupted or quarantined.
    pub fn failed_jobs(mut self) -> Self {
        self.failed_jobs = true;
        self
    }

    /// Only counts, and removes nothing.
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

impl Store {
    /// Removes what is over. Call it regularly, such as once a day, or let `hooks store clean` do that.
    ///
    /// Rows are removed in pieces, between which others can write.
    ///
    /// # Errors
    /// [`StoreError`]. What was removed until then stays removed.
    pub async fn clean(&self, cleaning: Cleaning) -> Result<Cleaned, StoreError> {
        let before = now().saturating_sub(millis(cleaning.age));
        let jobs = if cleaning.failed_jobs { "status NOT IN ('queued', 'running')" } else { DONE };
        let jobs = self.remove("hooks_jobs", "id", format!("{jobs} AND ended_at < $1"), before, cleaning.dry_run);
        let jobs = jobs.await?;
        let over = "status = 'closed' AND COALESCE(answered_at, asked_at) < $1".to_owned();
        let questions = self.remove("hooks_questions", "id", over, before, cleaning.dry_run).await?;
        let over = "recorded_at < $1".to_owned();
        let dispatches = self.remove("hooks_dispatches", "number", over, before, cleaning.dry_run).await?;
        Ok(Cleaned { jobs, questions, dispatches })
    }

    /// Removes or counts the rows of a table.
    async fn remove(
        &self,
        table: &'static str,
        key: &'static str,
        over: String,
        before: i64,
        dry_run: bool,
    ) -> Result<u64, Failure> {
        if dry_run {
            let count = format!("SELECT COUNT(*) FROM {table} WHERE {over}");
            let counted = self.database.read(move |tx| {
                Box::pin(async move {
                    Ok(sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(count))
                        .bind(before)
                        .fetch_one(&mut **tx)
                        .await?)
                })
            });
            return Ok(u64::try_from(counted.await?).unwrap_or_default());
        }
        let mut removed = 0;
        loop {
            let remove =
                format!("DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE {over} LIMIT {PIECE})");
            let gone = self.database.write(move |tx| {
                Box::pin(async move {
                    Ok(sqlx::query(sqlx::AssertSqlSafe(remove)).bind(before).execute(&mut **tx).await?.rows_affected())
                })
            });
            let gone = gone.await?;
            removed += gone;
            if gone < PIECE {
                return Ok(removed);
            }
        }
    }

    /// Gives the space of removed rows back, and returns by how many bytes the SQLite file shrank. Postgres reuses the
    /// space in its tables; there this is 0.
    ///
    /// SQLite writes the file anew: it needs up to twice its size of free space, and other processes wait meanwhile. While
    /// another process reads, the file keeps its size.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn vacuum(&self) -> Result<u64, StoreError> {
        let vacuum: &[&str] = match self.database.dialect {
            Dialect::Sqlite => &["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"],
            Dialect::Postgres => {
                &["VACUUM (ANALYZE) hooks_conversations, hooks_messages, hooks_jobs, hooks_attempts, hooks_leases, \
                 hooks_questions, hooks_dispatches, hooks_dispatch_runs"]
            }
        };
        let before = self.size().await?;
        self.database.run_alone(vacuum, SLOW).await?;
        Ok(before.saturating_sub(self.size().await?))
    }

    async fn size(&self) -> Result<u64, Failure> {
        if self.database.dialect == Dialect::Postgres {
            return Ok(0);
        }
        let size = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
        let size = self.database.read(move |tx| {
            Box::pin(async move { Ok(sqlx::query_scalar::<_, i64>(size).fetch_one(&mut **tx).await?) })
        });
        Ok(u64::try_from(size.await?).unwrap_or_default())
    }
}
