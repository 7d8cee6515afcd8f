//! The loop of a worker.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::run_job::{attempt, notice};
use super::source::{JobOutcome, JobSource, SourceError, Taken};
use super::{JobErrorKind, Worker};
use crate::detached::{Job, Notice, RunError};
use crate::record::Status;
use crate::registry::{Registry, WeakRegistry};

/// The wait after an error of the source.
const PAUSE: Duration = Duration::from_millis(500);

/// How often a job is started whose plugin does not run.
const STARTS: u32 = 6;

/// A running worker.
pub(super) struct JobRun<S> {
    shared: Arc<Shared<S>>,
    running: JoinSet<()>,
    /// Whether the running job must run alone.
    alone: bool,
}

struct Shared<S> {
    worker: Worker,
    /// Weak, because the registry owns the queue in memory, whose worker this may be.
    registry: WeakRegistry,
    source: Arc<S>,
    /// Whether jobs outlive the registry.
    durable: bool,
}

impl<S: JobSource> JobRun<S> {
    pub(super) fn new(worker: Worker, registry: WeakRegistry, source: Arc<S>, durable: bool) -> Self {
        Self { shared: Arc::new(Shared { worker, registry, source, durable }), running: JoinSet::new(), alone: false }
    }

    pub(super) async fn work(mut self, stop: &CancellationToken, until_empty: bool) {
        while !stop.is_cancelled() {
            while self.running.try_join_next().is_some() {}
            match self.step(stop, until_empty).await {
                Ok(true) => {}
                Ok(false) | Err(SourceError::Closed) => break,
                Err(error) => {
                    tracing::error!(target: "hook_sdk", %error, "a worker cannot take jobs");
                    stop.run_until_cancelled(sleep(PAUSE)).await;
                }
            }
        }
        while self.running.join_next().await.is_some() {}
    }

    fn has_room(&self) -> bool {
        !self.alone && self.running.len() < self.shared.worker.parallelism.max(1)
    }

    /// Starts a job, or waits until there may be one. `false` if there will be none.
    async fn step(&mut self, stop: &CancellationToken, until_empty: bool) -> Result<bool, SourceError> {
        self.alone &= !self.running.is_empty();
        let Some(registry) = Registry::upgrade(&self.shared.registry) else { return Ok(false) };
        // What it took now would be cut off at the deadline of `drain`.
        if self.shared.durable && registry.tasks().is_closed() {
            return Ok(false);
        }
        if self.has_room() {
            if let Some(taken) = self.shared.source.take(&registry, self.running.len()).await? {
                self.alone = taken.alone;
                self.running.spawn(Arc::clone(&self.shared).finish(registry, taken));
                return Ok(true);
            }
            if until_empty && self.running.is_empty() && self.shared.source.is_empty(&registry).await? {
                return Ok(false);
            }
        }
        // A wait does not keep the registry alive.
        drop(registry);
        stop.run_until_cancelled(self.wait()).await;
        Ok(true)
    }

    /// Waits until a job ends, or there may be another one.
    async fn wait(&mut self) {
        let has_room = self.has_room();
        let mut ready = pin!(self.shared.source.ready());
        poll_fn(|task| match self.running.poll_join_next(task) {
            Poll::Ready(Some(_)) => Poll::Ready(()),
            _ if has_room => ready.as_mut().poll(task),
            _ => Poll::Pending,
        })
        .await;
    }
}

impl<S: JobSource> Shared<S> {
    /// Runs a job and writes its end. Retries until that is written, and nobody takes the job over until then.
    async fn finish(self: Arc<Self>, registry: Registry, taken: Taken<S::Claim>) {
        let Taken { job, claim, notice, .. } = taken;
        let claim = Arc::new(claim);
        let _beats = self.beats(&claim);
        let (outcome, wait) = match &job {
            Ok(job) => self.outcome(&registry, job, notice).await,
            Err(cause) => {
                let (code, cause) = (Some(JobErrorKind::Unreadable), Some(cause.clone()));
                (JobOutcome { status: Status::Failed, code, cause }, None)
            }
        };
        loop {
            let written = match (&job, wait) {
                (Ok(job), Some(wait)) => self.source.again(&claim, &job.again(), wait, &outcome).await,
                _ => self.source.end(&claim, &outcome).await,
            };
            let job = job.as_ref().map_or("unreadable", |job| job.id.as_str());
            match written {
                Ok(true) | Err(SourceError::Closed) => return,
                Ok(false) => {
                    let status = outcome.status;
                    tracing::warn!(target: "hook_sdk", job, ?status, "a job ended after it was taken from this worker, or deleted");
                    return;
                }
                Err(error) => tracing::error!(target: "hook_sdk", job, %error, "the end of a job is not written yet"),
            }
            sleep(PAUSE).await;
        }
    }

    /// How the job ended, and the wait before its next attempt.
    async fn outcome(
        &self,
        registry: &Registry,
        job: &Job,
        of_queue: Option<Notice>,
    ) -> (JobOutcome, Option<Duration>) {
        let notice = of_queue.unwrap_or_else(|| notice(registry, job, registry.tasks().take_in()));
        let (code, ended) = match registry.read_job(&self.worker.context, job) {
            Ok(run) => (None, attempt(registry, job, run, notice, self.durable).await.ended),
            Err(error) => {
                // The plugin may be restarting, or its folder may be missing for a moment. The job did not begin.
                let is_last = error.kind() != JobErrorKind::NoPlugin || job.attempt >= job.max_attempts.max(STARTS);
                let why = RunError { terminal: is_last, ..RunError::terminal(error.to_string()) };
                (Some(error.kind()), notice.end(Err(why), is_last).0)
            }
        };
        let wait = ended.again.then(|| self.worker.backoff.after(job.attempt));
        (JobOutcome { status: ended.run.status, code, cause: ended.run.cause }, wait)
    }

    /// Tells the source that the job runs, until the returned value is dropped.
    fn beats(self: &Arc<Self>, claim: &Arc<S::Claim>) -> Option<Beats> {
        let every = self.source.progress_interval()?;
        let (source, claim) = (Arc::clone(&self.source), Arc::clone(claim));
        Some(Beats(tokio::spawn(async move {
            loop {
                sleep(every).await;
                match source.progress(&claim).await {
                    Ok(true) => {}
                    Ok(false) | Err(SourceError::Closed) => return,
                    Err(error) => tracing::error!(target: "hook_sdk", %error, "the progress of a job is not written"),
                }
            }
        })))
    }
}

struct Beats(JoinHandle<()>);

impl Drop for Beats {
    fn drop(&mut self) {
        self.0.abort();
    }
}
