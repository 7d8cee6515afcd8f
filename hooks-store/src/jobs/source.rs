//! The jobs of a store as the source of a worker.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::Registry;
use hook_sdk::detached::Job;
use hook_sdk::record::Status;
use hook_sdk::worker::{Burial, JobErrorKind, JobOutcome, JobSource, SourceError, Taken};
use tokio::time::sleep;
use uuid::Uuid;

use super::JobStatus;
use super::claim::{Claimed, Due, Known, claim, is_any_left, is_due};
use super::end::{End, end};
use super::lost::Reaping;
use crate::error::Failure;
use crate::store::Store;

/// The jobs of a store, for a [`Worker`](hook_sdk::worker::Worker).
#[derive(Clone)]
pub(crate) struct StoredJobs {
    pub(crate) store: Store,
    pub(crate) poll: Duration,
    pub(crate) silence: Duration,
    pub(crate) deaths: u32,
    pub(crate) unknown_after: Duration,
    /// Unique across processes, so that people can tell workers apart.
    name: Arc<str>,
}

impl fmt::Debug for StoredJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredJobs").field("store", &self.store).field("name", &self.name).finish_non_exhaustive()
    }
}

impl StoredJobs {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            poll: Duration::from_millis(500),
            silence: Duration::from_secs(15),
            deaths: 5,
            unknown_after: Duration::from_mins(10),
            name: name(),
        }
    }

    /// For each run of a worker, so that no other one can have made a claim that this one is in doubt about.
    pub(crate) fn rename(&mut self) {
        self.name = name();
    }

    /// Takes over the jobs of dead workers until the result is dropped.
    pub(crate) fn reap(&self) -> Reaping {
        Reaping::start(&self.store.database, self.silence, self.deaths)
    }

    /// The hooks that the worker has now, because a plugin can be installed while it runs.
    fn known(&self, registry: &Registry) -> Known {
        let hooks = registry.hooks().iter().map(|hook| hook.id().to_string()).collect();
        Known { hooks, patience: self.unknown_after }
    }

    async fn next(&self, registry: &Registry, running: usize) -> Result<Option<Taken<Claimed>>, Failure> {
        let (database, known) = (&self.store.database, self.known(registry));
        // A job that must run alone waits until no job runs. Until then, no other job starts, so that it is not starved.
        let due = if is_due(database, Due::Alone, known.clone()).await? {
            if running > 0 {
                return Ok(None);
            }
            Due::Alone
        } else if is_due(database, Due::Shared, known.clone()).await? {
            Due::Shared
        } else {
            return Ok(None);
        };
        let claimed = claim(database, &self.name, due, known, self.silence).await?;
        Ok(claimed.map(|(job, claimed)| {
            let taken = Taken::new(job, claimed);
            if due == Due::Alone { taken.alone() } else { taken }
        }))
    }

    async fn write(
        &self,
        claimed: &Claimed,
        status: JobStatus,
        again: Option<Duration>,
        outcome: &JobOutcome,
    ) -> Result<bool, SourceError> {
        let ending = End {
            status,
            word: word(outcome.status),
            code: outcome.code.map(code),
            cause: outcome.cause.clone(),
            again,
        };
        Ok(end(&self.store.database, &claimed.start, &ending).await?)
    }
}

impl JobSource for StoredJobs {
    type Claim = Claimed;

    async fn take(&self, registry: &Registry, running: usize) -> Result<Option<Taken<Claimed>>, SourceError> {
        Ok(self.next(registry, running).await?)
    }

    async fn ready(&self) {
        sleep(self.poll).await;
    }

    async fn is_empty(&self, registry: &Registry) -> Result<bool, SourceError> {
        Ok(!is_any_left(&self.store.database, self.known(registry)).await?)
    }

    async fn end(&self, claimed: &Claimed, outcome: &JobOutcome) -> Result<bool, SourceError> {
        let status = if outcome.status == Status::Completed { JobStatus::Done } else { JobStatus::Failed };
        self.write(claimed, status, None, outcome).await
    }

    async fn again(
        &self,
        claimed: &Claimed,
        _: &Job,
        wait: Duration,
        outcome: &JobOutcome,
    ) -> Result<bool, SourceError> {
        self.write(claimed, JobStatus::Queued, Some(wait), outcome).await
    }
}

impl From<Failure> for SourceError {
    fn from(failure: Failure) -> Self {
        if failure.is_closed() { Self::Closed } else { Self::Failed(failure.to_string()) }
    }
}

impl From<Burial> for JobStatus {
    fn from(why: Burial) -> Self {
        match why {
            Burial::Interrupted => Self::Interrupted,
            Burial::Quarantined => Self::Quarantined,
            _ => Self::Failed,
        }
    }
}

fn name() -> Arc<str> {
    let host = std::env::var("HOSTNAME").or_else(|_| std::fs::read_to_string("/etc/hostname"));
    let host = host.unwrap_or_else(|_| "worker".to_owned());
    let number = Uuid::new_v4().simple().to_string();
    format!("{}-{}-{}", host.trim(), std::process::id(), &number[..8]).into()
}

/// The name of a status in records.
fn word(status: Status) -> String {
    match serde_json::to_value(status) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "failed".to_owned(),
    }
}

fn code(kind: JobErrorKind) -> &'static str {
    match kind {
        JobErrorKind::UnknownHook => "unknown_hook",
        JobErrorKind::Disabled => "disabled",
        JobErrorKind::NoPlugin => "no_plugin",
        JobErrorKind::NotBackground => "not_background",
        _ => "unreadable",
    }
}
