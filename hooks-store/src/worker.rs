//! The worker with the jobs of a store.

use std::time::Duration;

use hook_sdk::worker::{Backoff, Worker};
use hook_sdk::{CancellationToken, HookContext, Registry};

use crate::jobs::StoredJobs;
use crate::store::Store;

/// Runs the background jobs of a store with the hooks of a registry: a [`Worker`] on its queue. Any number of
/// workers on any number of machines can share a store.
///
/// The job of an idempotent hook runs at least once, any other job at most once. A worker without a heartbeat for
/// [`silence`](Self::silence) is considered dead. Of the jobs that it was running, those of idempotent hooks run again;
/// the others are interrupted and do not run again.
#[derive(Clone, Debug)]
#[must_use = "a worker does nothing until `run` or `run_until_empty` is awaited"]
pub struct JobWorker {
    jobs: StoredJobs,
    registry: Registry,
    worker: Worker,
}

impl JobWorker {
    /// Creates a worker that runs one job at a time.
    pub fn new(store: Store, registry: Registry) -> Self {
        Self { jobs: StoredJobs::new(store), registry, worker: Worker::new() }
    }

    /// Sets the worker: the context of its hooks, how many jobs run concurrently, and the delay between attempts.
    pub fn worker(mut self, worker: Worker) -> Self {
        self.worker = worker;
        self
    }

    /// Sets the context of hooks. Its state is passed on, and its ids are replaced by those of the job.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.worker = self.worker.context(cx);
        self
    }

    /// Sets how many jobs run concurrently. At least one.
    pub fn parallelism(mut self, jobs: usize) -> Self {
        self.worker = self.worker.parallelism(jobs);
        self
    }

    /// Sets the delay before the next attempt of a failed job.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.worker = self.worker.backoff(backoff);
        self
    }

    /// Sets how often the worker checks for jobs. Default: 500 ms.
    pub fn poll(mut self, every: Duration) -> Self {
        self.jobs.poll = every.max(Duration::from_millis(1));
        self
    }

    /// Sets how long a worker can be without a heartbeat before its jobs are taken from it. Default: 15 s. All workers
    /// of a store need the same value.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.jobs.silence = limit.max(Duration::from_millis(30));
        self
    }

    /// Sets how many workers may die while running the same job before it is quarantined. Default: 5. After two deaths,
    /// a job runs alone in its worker.
    pub fn deaths(mut self, limit: u32) -> Self {
        self.jobs.deaths = limit.max(1);
        self
    }

    /// Sets how long jobs of hooks that this worker does not have are left to other workers. After that, they fail with
    /// `unknown_hook`. During a rolling upgrade, old workers therefore do not take the jobs of new hooks. Default: 10 min.
    pub fn unknown_after(mut self, limit: Duration) -> Self {
        self.jobs.unknown_after = limit;
        self
    }

    /// Runs jobs until `stop` is cancelled, the store is closed or the registry is drained, and then waits for the running
    /// ones. At the deadline of `drain` these are cut off; those of idempotent hooks run again, in another worker.
    ///
    /// Database errors are logged with `tracing` and retried, so the worker survives a restart of its database.
    pub async fn run(mut self, stop: CancellationToken) {
        self.jobs.rename();
        let _reaping = self.jobs.reap();
        self.worker.run(&self.registry, self.jobs, stop).await;
    }

    /// Runs jobs until none is queued or running in any worker, or as [`run`](Self::run) ends. It also waits for jobs that
    /// are due later, but not for jobs that it [leaves to others](Self::unknown_after).
    pub async fn run_until_empty(mut self) {
        self.jobs.rename();
        let _reaping = self.jobs.reap();
        self.worker.run_until_empty(&self.registry, self.jobs).await;
    }
}
