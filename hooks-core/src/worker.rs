//! Background jobs of a single process: a bounded queue in memory and its workers.

mod run_job;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;

pub use run_job::{JobEnd, JobError, JobErrorKind};

use crate::context::HookContext;
use crate::detached::{BackgroundSink, EnqueueError, Job, Notice, RunError, Tasks};
use crate::registry::{Registry, WeakRegistry};
use crate::tables::setters;
use run_job::{Attempt, attempt, notice};

/// Runs background jobs in this process, by default one at a time.
///
/// Queued jobs are lost when the process ends. For work that must survive, implement [`BackgroundSink`] on top of a
/// durable queue. The registry must live as long as there are jobs.
#[derive(Clone, Debug)]
#[must_use = "a worker runs jobs only after `start`"]
pub struct Worker {
    queue: usize,
    parallelism: usize,
    backoff: Backoff,
    cx: HookContext,
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
        Self { queue: 1_024, parallelism: 1, backoff: Backoff::default(), cx: HookContext::new() }
    }
}

impl Worker {
    /// A queue of 1,024 jobs that run one at a time, with exponential backoff.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many jobs run concurrently, at least one.
    pub fn parallelism(mut self, jobs: usize) -> Self {
        self.parallelism = jobs.max(1);
        self
    }

    /// The context whose state the hooks use. The ids come from each job.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.cx = cx;
        self
    }

    /// Becomes the sink for jobs of `registry`, for sets built from now on.
    ///
    /// # Errors
    /// [`NoRuntime`] outside a Tokio runtime.
    pub fn start(self, registry: &Registry) -> Result<(), NoRuntime> {
        let handle = Handle::try_current().map_err(|_| NoRuntime)?;
        let tasks = registry.detached_runs().tasks;
        let registry_of_jobs = registry.downgrade();
        let jobs = Mutex::new(Jobs::default());
        registry.set_background(Queue(Arc::new(QueueData {
            settings: self,
            handle,
            registry: registry_of_jobs,
            tasks,
            jobs,
        })));
        Ok(())
    }
}

setters!(Worker {
    /// The maximum number of waiting jobs, including jobs in backoff and jobs with a delay. Further jobs are recorded as dropped.
    queue: usize,
    /// How long a failed job waits before it is retried.
    backoff: Backoff,
});

struct Queue(Arc<QueueData>);

struct QueueData {
    settings: Worker,
    handle: Handle,
    /// Weak, because the registry owns its queue.
    registry: WeakRegistry,
    tasks: Arc<Tasks>,
    jobs: Mutex<Jobs>,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<(Job, Notice)>,
    /// The number of jobs that are not due yet. They keep their place in the queue.
    later: usize,
    /// The number of active workers; 0 if no job is waiting.
    workers: usize,
}

impl fmt::Debug for QueueData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl BackgroundSink for Queue {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        let inner = &self.0;
        let registry = inner.registry.upgrade().ok_or(EnqueueError::Closed)?;
        if inner.tasks.is_closed() {
            return Err(EnqueueError::Closed);
        }
        let jobs = inner.jobs();
        if jobs.waiting.len() + jobs.later >= inner.settings.queue {
            return Err(EnqueueError::Full);
        }
        let notice = notice(&registry, &job, inner.tasks.take_in());
        if job.delay.is_zero() {
            inner.push(jobs, job, notice);
        } else {
            drop(jobs);
            inner.push_later(job.delay, job, notice);
        }
        Ok(())
    }
}

impl QueueData {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a job, and starts a worker if there is room.
    fn push(self: &Arc<Self>, mut jobs: MutexGuard<'_, Jobs>, job: Job, notice: Notice) {
        jobs.waiting.push_back((job, notice));
        if jobs.workers < self.settings.parallelism {
            jobs.workers += 1;
            drop(jobs);
            let place = WorkerSlot { queue: Arc::clone(self), given_up: false };
            self.handle.spawn(place.work());
        }
    }

    async fn run(self: &Arc<Self>, job: Job, notice: Notice) {
        // The notice is dropped too, and reports the cancellation.
        let Some(registry) = self.registry.upgrade() else { return };
        let run = match registry.read_job(&self.settings.cx, &job) {
            Ok(run) => run,
            Err(error) => {
                let _ = notice.end(Err(RunError::terminal(error.to_string())));
                return;
            }
        };
        if let Attempt::Again(_, permit) = attempt(&registry, &job, run, notice).await {
            let wait = self.settings.backoff.after(job.attempt);
            let job = job.again();
            let notice = run_job::notice(&registry, &job, permit);
            self.push_later(wait, job, notice);
        }
    }

    /// Appends a job when the time is over. Other jobs need not wait for it.
    fn push_later(self: &Arc<Self>, wait: Duration, job: Job, notice: Notice) {
        let place = Later::new(self);
        self.handle.spawn(async move {
            let queue = Arc::clone(&place.0);
            let wait = async {
                if !wait.is_zero() {
                    tokio::time::sleep(wait).await;
                }
            };
            if queue.tasks.shutdown.run_until_cancelled(wait).await.is_some() {
                drop(place);
                queue.push(queue.jobs(), job, notice);
            }
        });
    }
}

/// The place in the queue of a job that is not due yet; released on drop.
struct Later(Arc<QueueData>);

impl Later {
    fn new(queue: &Arc<QueueData>) -> Self {
        queue.jobs().later += 1;
        Self(Arc::clone(queue))
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        self.0.jobs().later -= 1;
    }
}

/// The slot of one active worker.
struct WorkerSlot {
    queue: Arc<QueueData>,
    given_up: bool,
}

impl WorkerSlot {
    async fn work(mut self) {
        while let Some((job, notice)) = self.next() {
            if self.queue.tasks.shutdown.is_cancelled() {
                // Reports that the job was cancelled.
                drop(notice);
            } else {
                self.queue.run(job, notice).await;
            }
        }
    }

    /// The next job. If there is none, the slot is released at once, under the same lock, so that no job arrives in
    /// between.
    fn next(&mut self) -> Option<(Job, Notice)> {
        let mut jobs = self.queue.jobs();
        let next = jobs.waiting.pop_front();
        if next.is_none() {
            jobs.workers -= 1;
            self.given_up = true;
        }
        next
    }
}

impl Drop for WorkerSlot {
    fn drop(&mut self) {
        if self.given_up {
            return;
        }
        let mut jobs = self.queue.jobs();
        jobs.workers -= 1;
        // The runtime ended, so these jobs will never run; their notices report it.
        let left = if jobs.workers == 0 { std::mem::take(&mut jobs.waiting) } else { VecDeque::new() };
        drop(jobs);
        drop(left);
    }
}
