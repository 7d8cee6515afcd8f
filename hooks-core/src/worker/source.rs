//! Where a worker takes jobs from, and where it writes how they ended.

use std::fmt;
use std::time::Duration;

use super::JobErrorKind;
use crate::detached::{Job, Notice};
use crate::record::Status;
use crate::registry::Registry;

/// A queue of jobs: tables of a database, or a broker. [`Worker::run`](super::Worker::run) takes jobs from it.
///
/// The source stores that a job starts before it returns it, and takes over jobs whose worker died: it runs them again
/// unless [`Burial::of_deaths`] forbids that. `hooks_conformance::check_jobs` tests an implementation.
pub trait JobSource: Send + Sync + 'static {
    /// One start of a job. If it is dropped without an end, its worker has died.
    type Claim: Send + Sync + 'static;

    /// Starts the next job that is due. `None` if there is none for this worker now, which runs `running` jobs and has the
    /// hooks of `registry`. Jobs of other hooks are left to workers of another version.
    fn take(
        &self,
        registry: &Registry,
        running: usize,
    ) -> impl Future<Output = Result<Option<Taken<Self::Claim>>, SourceError>> + Send;

    /// Waits until there may be a job to take, without promising one. It may end at any time.
    fn ready(&self) -> impl Future<Output = ()> + Send;

    /// Whether no job that this worker may run is queued, due later, or running anywhere.
    fn is_empty(&self, registry: &Registry) -> impl Future<Output = Result<bool, SourceError>> + Send;

    /// How often [`progress`](Self::progress) is called for each running job. By default never, for a source that notices
    /// by itself that a worker lives.
    fn progress_interval(&self) -> Option<Duration> {
        None
    }

    /// The worker still runs the job. `false` if the job was taken from it.
    fn progress(&self, _claim: &Self::Claim) -> impl Future<Output = Result<bool, SourceError>> + Send {
        std::future::ready(Ok(true))
    }

    /// The job ended. If it did not complete, nothing repeats it, and it is kept for people. `false` if it was taken from
    /// this worker before: then its status must not change, here and in [`again`](Self::again).
    fn end(&self, claim: &Self::Claim, outcome: &JobOutcome) -> impl Future<Output = Result<bool, SourceError>> + Send;

    /// The job failed, and is queued again as `job`, due after `wait`.
    fn again(
        &self,
        claim: &Self::Claim,
        job: &Job,
        wait: Duration,
        outcome: &JobOutcome,
    ) -> impl Future<Output = Result<bool, SourceError>> + Send;
}

/// A job that a worker has taken.
pub struct Taken<C> {
    pub(super) job: Result<Job, String>,
    pub(super) claim: C,
    pub(super) alone: bool,
    /// Reports the end of the job also if it is never run.
    pub(super) notice: Option<Notice>,
}

impl<C> Taken<C> {
    /// A job with the number of this attempt, or why the stored job cannot be read, and the claim on it.
    pub fn new(job: Result<Job, String>, claim: C) -> Self {
        Self { job, claim, alone: false, notice: None }
    }

    /// The worker starts no other job while it runs this one.
    #[must_use = "it returns the changed value"]
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }
}

impl<C> fmt::Debug for Taken<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taken").field("job", &self.job).field("alone", &self.alone).finish_non_exhaustive()
    }
}

/// How one start of a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobOutcome {
    /// The status of the run, as in records.
    pub status: Status,
    /// Why the job could not be run here.
    pub code: Option<JobErrorKind>,
    /// The cause of a failure.
    pub cause: Option<String>,
}

/// Why a job is not run again, although it did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Burial {
    /// Its last attempt failed, or it cannot be run at all.
    Failed,
    /// Its worker died, nobody knows how far the run came, and the hook is not idempotent.
    Interrupted,
    /// Too many workers died while they ran it.
    Quarantined,
}

impl Burial {
    /// Whether a job whose workers died `deaths` times must not run again.
    pub fn of_deaths(idempotent: bool, deaths: u32, limit: u32) -> Option<Self> {
        match deaths {
            0 => None,
            _ if !idempotent => Some(Self::Interrupted),
            _ => (deaths >= limit).then_some(Self::Quarantined),
        }
    }
}

/// Why a source did not do what a worker asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It is closed; the worker ends.
    #[error("the source of jobs is closed")]
    Closed,
    /// Something failed; the worker tries again.
    #[error("{0}")]
    Failed(String),
}
