//! Executing a job.

use std::time::Instant;

use super::{Job, Notice, Permit};
use crate::dispatch::{ApartRun, until_shutdown};
use crate::hook::HookId;
use crate::record::Ended;
use crate::verdict::Contributions;
use crate::{HookContext, Registry};

/// How an attempt at a job ended.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "`ended.again` says whether the job is to be tried once more"]
#[non_exhaustive]
pub struct JobEnd {
    /// What observers are told too. [`again`](Ended::again) says whether the job is to be tried once more.
    pub ended: Ended,
    /// The audit notes and background jobs that the hook left.
    pub contributions: Contributions,
}

/// Why a job could not be executed here. It would be no different the next time, so it is not tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// This process has no such hook.
    #[error("the job `{job}` is for the hook `{hook}`, which is not there{}; link its crate into the worker: `use that_crate as _;`", nearest.as_ref().map(|id| format!("; did you mean `{id}`?")).unwrap_or_default())]
    #[non_exhaustive]
    UnknownHook {
        /// The job's id.
        job: String,
        /// The hook.
        hook: HookId,
        /// The id nearest to it.
        nearest: Option<HookId>,
    },
    /// The hook is disabled here, by the app or by an operator's override.
    #[error("the job `{job}` is for the hook `{hook}`, which is disabled")]
    #[non_exhaustive]
    Disabled {
        /// The job's id.
        job: String,
        /// The hook.
        hook: HookId,
    },
    /// The hook's plugin is not installed here, or could not be started.
    #[error(
        "the job `{job}` is for the hook `{hook}` of the plugin `{plugin}`, which is not installed or could not be started"
    )]
    #[non_exhaustive]
    NoPlugin {
        /// The job's id.
        job: String,
        /// The hook.
        hook: HookId,
        /// Its plugin.
        plugin: String,
    },
    /// The hook is no background hook of that kind, any more.
    #[error("the job `{job}` is for the hook `{hook}` at `{kind}`, where it is no background hook")]
    #[non_exhaustive]
    NotBackground {
        /// The job's id.
        job: String,
        /// The hook.
        hook: HookId,
        /// The kind.
        kind: String,
    },
    /// Event, subject or parameters are not what the hook takes, any more.
    #[error("the job `{job}` of the hook `{hook}` cannot be read: its {part}: {cause}")]
    #[non_exhaustive]
    Unreadable {
        /// The job's id.
        job: String,
        /// The hook.
        hook: HookId,
        /// Event, subject or parameters.
        part: &'static str,
        /// What is wrong.
        cause: String,
    },
}

impl Registry {
    /// Executes a job: in a worker of another process, which is linked with the same hooks, or in this one.
    ///
    /// The hook finds the state of `worker`, with the ids of the job. Observers of this registry are told how it ended.
    /// Dropping the future is telling them that it was cancelled.
    ///
    /// # Errors
    /// [`JobError`]: there is no such hook here, or the job cannot be read. A hook that fails is no error:
    /// [`Ended::again`] says whether it is to be tried again, with [`Job::again`].
    ///
    /// ```
    /// # use hooks_core::prelude::*;
    /// # use hooks_core::background::{Job, JobError};
    /// # async fn push(_: Job) {}
    /// async fn work(registry: &Registry, line: &str) -> Result<(), Box<dyn std::error::Error>> {
    ///     let job: Job = serde_json::from_str(line)?;
    ///     let end = registry.run_job(&HookContext::new(), &job).await?;
    ///     if end.ended.again {
    ///         push(job.again()).await;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn run_job(&self, worker: &HookContext, job: &Job) -> Result<JobEnd, JobError> {
        let run = self.read_job(worker, job)?;
        let notice = Notice::of_job(self, job, self.outside().tasks.take_in());
        match attempt(self, job, run, notice).await {
            Attempt::Ended(end) => Ok(end),
            Attempt::Again(ended, permit) => {
                // Whoever tries again takes the job in again.
                permit.release();
                Ok(JobEnd { ended, contributions: Contributions::default() })
            }
        }
    }
}

/// How one attempt at a job ended.
pub(super) enum Attempt {
    Ended(JobEnd),
    /// It failed and is to be tried again, for which there is room.
    Again(Ended, Permit),
}

/// Runs what was read from `job`, until the registry is shut down.
pub(super) async fn attempt(registry: &Registry, job: &Job, run: ApartRun, mut notice: Notice) -> Attempt {
    notice.started = Some(Instant::now());
    let shutdown = registry.outside().tasks.shutdown.clone();
    match until_shutdown(&shutdown, run).await {
        Err(why) if !why.terminal && job.attempt < job.max_attempts => notice.again(why),
        outcome => {
            let (ended, contributions) = notice.end(outcome);
            Attempt::Ended(JobEnd { ended, contributions })
        }
    }
}
