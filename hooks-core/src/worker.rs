//! The worker that runs background jobs, from a queue in memory or from any other [`JobSource`].

mod run_job;
mod source;
mod run;
mod memory;

use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

pub use run_job::{JobEnd, JobError, JobErrorKind};
pub use source::{Burial, JobOutcome, JobSource, SourceError, Taken};

use crate::context::HookContext;
use crate::registry::Registry;
use crate::tables::setters;
use memory::Queue;
use run::JobRun;

/// Runs background jobs in this process, by default one at a time.
///
/// The queue of [`start`](Self::start) is in memory, and its jobs are lost when the process ends. For work that must
/// survive, [`run`](Self::run) takes jobs from a durable [`JobSource`].
#[derive(Clone, Debug)]
#[must_use = "a worker runs jobs only after `start` or `run`"]
pub struct Worker {
    queue: usize,
    parallelism: usize,
    backoff: Backoff,
    context: HookContext,
}

/// How long a failed job waits before it is retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backoff {
    /// No wait.
    None,
    /// One second each time.
    Fixed,
    /// One second, then twice as long each time, up to a minute.
    #[default]
    Exponential,
}

impl Backoff {
    const BASE: Duration = Duration::from_secs(1);
    const CEILING: Duration = Duration::from_secs(60);

    /// The wait after this attempt, counted from 1.
    pub fn after(self, attempt: u32) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::Fixed => Self::BASE,
            Self::Exponential => {
                let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
                Self::BASE.saturating_mul(factor).min(Self::CEILING)
            }
        }
    }
}

/// A worker was started outside a Tokio runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a worker needs a Tokio runtime, but none is running here; start it inside a runtime")]
pub struct NoRuntime;

impl Default for Worker {
    fn default() -> Self {
        Self { queue: 1_024, parallelism: 1, backoff: Backoff::default(), context: HookContext::new() }
    }
}

impl Worker {
    /// A queue of 1,024 jobs that run one at a time, with exponential backoff.
    pub fn new() -> Self {
        Self::default()
    }

    /// Becomes the sink for jobs of `registry`, for sets built from now on. The registry must live as long as there are
    /// jobs.
    ///
    /// # Errors
    /// [`NoRuntime`] outside a Tokio runtime.
    pub fn start(self, registry: &Registry) -> Result<(), NoRuntime> {
        let handle = Handle::try_current().map_err(|_| NoRuntime)?;
        registry.set_background(Queue::new(self, handle, registry));
        Ok(())
    }

    /// Runs the jobs of `source` with the hooks of `registry` until `stop` is cancelled, the source is closed or the
    /// registry is drained, and then waits for the running ones. If `drain` cuts one off whose hook is idempotent, another
    /// worker runs it again.
    ///
    /// Other errors of the source are logged with `tracing`, and the worker tries again.
    pub async fn run<S: JobSource>(self, registry: &Registry, source: S, stop: CancellationToken) {
        JobRun::new(self, registry.downgrade(), source.into(), true).work(&stop, false).await;
    }

    /// Runs jobs until none that is for a hook of `registry` is queued or running, in this worker or another one, or
    /// the source is closed. It also waits for jobs that are due later.
    pub async fn run_until_empty<S: JobSource>(self, registry: &Registry, source: S) {
        JobRun::new(self, registry.downgrade(), source.into(), true).work(&CancellationToken::new(), true).await;
    }
}

setters!(Worker {
    /// The maximum number of waiting jobs in memory, including jobs in backoff and jobs with a delay. Further jobs are recorded as dropped.
    queue: usize,
    /// How long a failed job waits before it is retried.
    backoff: Backoff,
    /// How many jobs run concurrently, at least one.
    parallelism: usize,
    /// The context whose state the hooks use. The ids come from each job.
    context: HookContext,
});
