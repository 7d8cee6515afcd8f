//! The queue in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::Worker;
use super::run::JobRun;
use super::run_job::notice;
use super::source::{JobOutcome, JobSource, SourceError, Taken};
use crate::context::HookContext;
use crate::detached::{BackgroundSink, EnqueueError, Job, Notice, Permit, Tasks};
use crate::panics::lock;
use crate::registry::{Registry, WeakRegistry};

pub(super) struct Queue {
    worker: Worker,
    handle: Handle,
    /// Weak, because the registry owns its queue.
    registry: WeakRegistry,
    tasks: Arc<Tasks>,
    jobs: Mutex<Jobs>,
    arrived: Notify,
}

#[derive(Default)]
struct Jobs {
    /// In the order in which they are due.
    waiting: VecDeque<(Instant, Job, Notice)>,
    /// Whether a task takes jobs from here. There is none while no job waits.
    is_worked_on: bool,
}

impl Queue {
    pub(super) fn new(worker: Worker, handle: Handle, registry: &Registry) -> Arc<Self> {
        let (tasks, registry) = (registry.tasks(), registry.downgrade());
        Arc::new(Self { worker, handle, registry, tasks, jobs: Mutex::default(), arrived: Notify::new() })
    }
}

impl BackgroundSink for Arc<Queue> {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        let registry = Registry::upgrade(&self.registry).ok_or(EnqueueError::Closed)?;
        if self.tasks.is_closed() {
            return Err(EnqueueError::Closed);
        }
        let mut jobs = lock(&self.jobs);
        if jobs.waiting.len() >= self.worker.queue {
            return Err(EnqueueError::Full);
        }
        let notice = notice(&registry, &job, self.tasks.take_in());
        jobs.push(job.delay, job, notice);
        if std::mem::replace(&mut jobs.is_worked_on, true) {
            self.arrived.notify_one();
        } else {
            drop(jobs);
            self.handle.spawn(Working(Some(Arc::clone(self))).work());
        }
        Ok(())
    }

    fn worker(&self) -> Option<&HookContext> {
        Some(&self.worker.context)
    }
}

impl Jobs {
    fn push(&mut self, wait: Duration, job: Job, notice: Notice) {
        let due = Instant::now() + wait;
        let place = self.waiting.partition_point(|(other, ..)| *other <= due);
        self.waiting.insert(place, (due, job, notice));
    }
}

impl JobSource for Queue {
    type Claim = Permit;

    async fn take(&self, _: &Registry, _: usize) -> Result<Option<Taken<Permit>>, SourceError> {
        let mut jobs = lock(&self.jobs);
        let is_due = jobs.waiting.front().is_some_and(|(due, ..)| *due <= Instant::now());
        let next = if is_due { jobs.waiting.pop_front() } else { None };
        let taken = next.and_then(|(_, job, notice)| {
            let claim = notice.permit.clone()?;
            Some(Taken { notice: Some(notice), ..Taken::new(Ok(job), claim) })
        });
        Ok(taken)
    }

    async fn ready(&self) {
        let due = lock(&self.jobs).waiting.front().map(|(due, ..)| *due);
        let arrived = self.arrived.notified();
        match due {
            None => arrived.await,
            // A job that is due sooner may arrive.
            Some(due) => drop(timeout_at(due, arrived).await),
        }
    }

    async fn is_empty(&self, _: &Registry) -> Result<bool, SourceError> {
        Ok(lock(&self.jobs).waiting.is_empty())
    }

    async fn end(&self, _: &Permit, _: &JobOutcome) -> Result<bool, SourceError> {
        Ok(true)
    }

    async fn again(&self, claim: &Permit, job: &Job, wait: Duration, _: &JobOutcome) -> Result<bool, SourceError> {
        if let Some(registry) = Registry::upgrade(&self.registry) {
            let notice = notice(&registry, job, claim.clone());
            lock(&self.jobs).push(wait, job.clone(), notice);
        }
        Ok(true)
    }
}

/// The task that takes jobs. Empty once it has ended by itself.
struct Working(Option<Arc<Queue>>);

impl Working {
    async fn work(mut self) {
        while let Some(queue) = &self.0 {
            let run = JobRun::new(queue.worker.clone(), queue.registry.clone(), Arc::clone(queue), false);
            run.work(&queue.tasks.shutdown, true).await;
            if queue.tasks.shutdown.is_cancelled() || queue.registry.strong_count() == 0 {
                return;
            }
            let mut jobs = lock(&queue.jobs);
            // Under the same lock, so that no job arrives in between.
            if jobs.waiting.is_empty() {
                jobs.is_worked_on = false;
                drop(jobs);
                self.0 = None;
            }
        }
    }
}

impl Drop for Working {
    /// The registry or the runtime ended, so the jobs that are left will never run; their notices report it.
    fn drop(&mut self) {
        let Some(queue) = self.0.take() else { return };
        let left = std::mem::take(&mut *lock(&queue.jobs));
        drop(left);
    }
}
