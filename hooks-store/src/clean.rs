//! Removes what is over, and gives its space back.

use std::time::Duration;

use hooks_agent::store::StoreError;
use serde::Serialize;

use crate::clock::{millis, now};
use crate::database::{SLOW, Tx};
use crate::dialect::Dialect;
use crate::error::Failure;
use crate::jobs::DONE;
use crate::store::Store;

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
    /// Questions that are closed or have expired.
    pub questions: u64,
    /// Recorded dispatches.
    pub dispatches: u64,
}

impl Cleaning {
    /// Selects what was over more than `age` ago: completed and cancelled jobs, closed and expired questions, recorded dispatches.
    /// Conversations are never selected.
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
    /// # Errors
    /// [`StoreError`]. Nothing was removed then.
    pub async fn clean(&self, cleaning: Cleaning) -> Result<Cleaned, StoreError> {
        Ok(self.database.write(move |tx| Box::pin(clean(tx, cleaning))).await?)
    }

    /// Gives the space of removed rows back, and returns by how many bytes the SQLite file shrank. Postgres reuses the
    /// space in its tables; there this is 0.
    ///
    /// SQLite writes the file anew: it needs its size on the disk once more, and other processes wait meanwhile.
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

async fn clean(tx: &mut Tx, cleaning: Cleaning) -> Result<Cleaned, Failure> {
    let jobs = if cleaning.failed_jobs {
        "hooks_jobs WHERE status NOT IN ('queued', 'running') AND ended_at < $1".to_owned()
    } else {
        format!("hooks_jobs WHERE {DONE} AND ended_at < $1")
    };
    let questions = "hooks_questions WHERE (status = 'closed' OR expires_at < $1) AND asked_at < $1";
    let dispatches = "hooks_dispatches WHERE recorded_at < $1";
    let before = now().saturating_sub(millis(cleaning.age));
    let mut counts = [0; 3];
    for (count, rows) in counts.iter_mut().zip([&*jobs, questions, dispatches]) {
        *count = if cleaning.dry_run {
            let counted = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {rows}"))).bind(before);
            let counted: i64 = counted.fetch_one(&mut **tx).await?;
            u64::try_from(counted).unwrap_or_default()
        } else {
            let remove = sqlx::query(sqlx::AssertSqlSafe(format!("DELETE FROM {rows}"))).bind(before);
            remove.execute(&mut **tx).await?.rows_affected()
        };
    }
    let [jobs, questions, dispatches] = counts;
    Ok(Cleaned { jobs, questions, dispatches })
}
