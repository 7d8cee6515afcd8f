//! Runs background jobs.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::detached::Job;
use hooks_core::record::Status;
use hooks_core::worker::{Backoff, JobErrorKind};
use hooks_core::{CancellationToken, HookContext, Registry};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use crate::database::Database;
use crate::error::Failure;
use crate::jobs::{Claimed, Due, End, JobStatus, Known, Reaper, beat, claim, end, is_any_left, is_due};
use crate::store::Store;

/// Runs the background jobs of a store with the hooks of a registry. Any number of workers on any number of machines
/// can share a store.
///
/// The job of an idempotent hook runs at least once, any other job at most once. A worker without a heartbeat for
/// [`silence`](Self::silence) is considered dead. Of the jobs that it was running, those of idempotent hooks run again;
/// the others are interrupted and do not run again.
#[derive(Clone, Debug)]
#[must_use = "a worker does nothing until `run` or `run_until_empty` is awaited"]
pub struct Worker {
    store: Store,
    registry: Registry,
    cx: HookContext,
    parallelism: usize,
    poll: Duration,
    silence: Duration,
    deaths: u32,
    backoff: Backoff,
    unknown_after: Duration,
}

impl Worker {
    /// Creates a worker that runs one job at a time.
    pub fn new(store: Store, registry: Registry) -> Self {
        Self {
            store,
            registry,
            cx: HookContext::new(),
            parallelism: 1,
            poll: Duration::from_millis(500),
            silence: Duration::from_secs(15),
            deaths: 5,
            backoff: Backoff::default(),
            unknown_after: Duration::from_mins(10),
        }
    }

    /// Sets the context of hooks. Its state is passed on, and its ids are replaced by those of the job.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.cx = cx;
        self
    }

    /// Sets how many jobs run concurrently. At least one.
    pub fn parallelism(mut self, jobs: usize) -> Self {
        self.parallelism = jobs.max(1);
        self
    }

    /// Sets how often the worker checks for jobs. Default: 500 ms.
    pub fn poll(mut self, every: Duration) -> Self {
        self.poll = every.max(Duration::from_millis(1));
        self
    }

    /// Sets how long a worker can be without a heartbeat before its jobs are taken from it. Default: 15 s. All workers
    /// of a store need the same value.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit.max(Duration::from_millis(30));
        self
    }

    /// Sets how many workers may die while running the same job before it is quarantined. Default: 5. After two deaths,
    /// a job runs alone in its worker.
    pub fn deaths(mut self, limit: u32) -> Self {
        self.deaths = limit.max(1);
        self
    }

    /// Sets the delay before the next attempt of a failed job.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets how long jobs of hooks that this worker does not have are left to other workers. After that, they fail with
    /// `unknown_hook`. During a rolling upgrade, old workers therefore do not take the jobs of new hooks. Default: 10 min.
    pub fn unknown_after(mut self, limit: Duration) -> Self {
        self.unknown_after = limit;
        self
    }

    /// Runs jobs until `stop` is cancelled, and then waits for the running ones.
    ///
    /// Database errors are logged with `tracing` and retried, so the worker survives a restart of its database.
    pub async fn run(self, stop: CancellationToken) {
        Run::new(self).work(&stop, false).await;
    }

    /// Runs jobs until none is queued or running in any worker. It also waits for jobs that are due later, but not for jobs
    /// that it [leaves to others](Self::unknown_after).
    pub async fn run_until_empty(self) {
        Run::new(self).work(&CancellationToken::new(), true).await;
    }
}

/// A running worker.
struct Run {
    settings: Arc<Worker>,
    /// Unique across processes, so that no worker mistakes the jobs of an earlier one for its own.
    name: Arc<str>,
    running: JoinSet<()>,
    /// Whether the running job must run alone.
    alone: bool,
    reaper: Reaper,
    next_beat: Instant,
}

impl Run {
    fn new(worker: Worker) -> Self {
        let host = std::env::var("HOSTNAME").or_else(|_| std::fs::read_to_string("/etc/hostname"));
        let host = host.unwrap_or_else(|_| "worker".to_owned());
        let name = format!("{}-{}-{}", host.trim(), std::process::id(), &Uuid::new_v4().simple().to_string()[..8]);
        Self {
            reaper: Reaper::new(worker.silence, i64::from(worker.deaths)),
            settings: Arc::new(worker),
            name: name.into(),
            running: JoinSet::new(),
            alone: false,
            next_beat: Instant::now(),
        }
    }

    fn database(&self) -> &Database {
        &self.settings.store.database
    }

    async fn work(mut self, stop: &CancellationToken, until_empty: bool) {
        loop {
            let started = if stop.is_cancelled() { Ok(false) } else { self.start_next().await };
            if stop.is_cancelled() && self.running.is_empty() {
                return;
            }
            match started {
                Ok(true) => {}
                Ok(false) if until_empty && self.running.is_empty() && self.is_empty().await.unwrap_or(false) => return,
                Ok(false) => self.wait(stop).await,
                Err(error) => {
                    tracing::error!(target: "hooks_store", worker = &*self.name, %error, "the database failed");
                    self.wait(stop).await;
                }
            }
            self.show_life().await;
            while self.running.try_join_next().is_some() {}
        }
    }

    /// Starts the next job. Returns `false` if none is due, or the worker is at its limit.
    async fn start_next(&mut self) -> Result<bool, Failure> {
        self.alone &= !self.running.is_empty();
        if self.alone || self.running.len() >= self.settings.parallelism {
            return Ok(false);
        }
        // A job that must run alone waits until no job runs. Until then, no other job starts, so that it is not starved.
        let known = self.settings.known();
        let due = if is_due(self.database(), Due::Alone, known.clone()).await? {
            if !self.running.is_empty() {
                return Ok(false);
            }
            Due::Alone
        } else if is_due(self.database(), Due::Shared, known.clone()).await? {
            Due::Shared
        } else {
            return Ok(false);
        };
        let Some(claimed) = claim(self.database(), &self.name, due, known).await? else { return Ok(false) };
        self.alone = due == Due::Alone;
        let settings = Arc::clone(&self.settings);
        self.running.spawn(async move { settings.run_claimed(claimed).await });
        Ok(true)
    }

    /// Waits until a job ends, or it is time to check again.
    async fn wait(&mut self, stop: &CancellationToken) {
        let stopped = async { if stop.is_cancelled() { std::future::pending().await } else { stop.cancelled().await } };
        tokio::select! {
            Some(_) = self.running.join_next() => {}
            () = sleep(self.settings.poll) => {}
            () = sleep_until(self.next_beat) => {}
            () = stopped => {}
        }
    }

    /// Sends a heartbeat, and looks for dead workers.
    async fn show_life(&mut self) {
        if Instant::now() < self.next_beat {
            return;
        }
        self.next_beat = Instant::now() + self.settings.silence / 3;
        let database = self.settings.store.database.clone();
        let shown = async {
            if !self.running.is_empty() {
                beat(&database, &self.name).await?;
            }
            self.reaper.reap(&database).await
        };
        if let Err(error) = shown.await {
            tracing::error!(target: "hooks_store", worker = &*self.name, %error, "the heartbeat could not be written");
        }
    }

    async fn is_empty(&self) -> Result<bool, Failure> {
        Ok(!is_any_left(self.database(), self.settings.known()).await?)
    }
}

impl Worker {
    /// The hooks that are registered now, because a plugin can be installed while the worker runs.
    fn known(&self) -> Known {
        let hooks = self.registry.hooks().iter().map(|hook| hook.id().to_string()).collect();
        Known { hooks, patience: self.unknown_after }
    }

    /// Runs a job and writes its end. Retries until that is written.
    async fn run_claimed(&self, claimed: Claimed) {
        let Claimed { start, job } = claimed;
        let ending = self.ending(job).await;
        loop {
            match end(&self.store.database, &start, &ending).await {
                Ok(true) => return,
                Ok(false) => {
                    let (job, status) = (&start.job, &ending.word);
                    tracing::warn!(target: "hooks_store", job, status, "a job ended after it was taken from this worker");
                    return;
                }
                Err(error) => {
                    tracing::error!(target: "hooks_store", job = start.job, %error, "the end of a job is not written yet");
                    sleep(self.poll).await;
                }
            }
        }
    }

    async fn ending(&self, job: Result<Job, String>) -> End {
        let failed = |word: &str, code, cause| End {
            status: JobStatus::Failed,
            word: word.to_owned(),
            code,
            cause: Some(cause),
            again: None,
        };
        let job = match job {
            Ok(job) => job,
            Err(cause) => return failed("failed", Some(code(JobErrorKind::Unreadable)), cause),
        };
        let ran = match self.registry.run_job(&self.cx, &job).await {
            Ok(ran) => ran,
            Err(error) => return failed("failed", Some(code(error.kind())), error.to_string()),
        };
        let run = ran.ended.run;
        let word = word(run.status);
        match run.status {
            Status::Completed => End { status: JobStatus::Done, word, code: None, cause: None, again: None },
            _ if ran.ended.again => {
                let again = Some(self.backoff.after(job.attempt));
                End { status: JobStatus::Queued, word, code: None, cause: run.cause, again }
            }
            _ => failed(&word, None, run.cause.unwrap_or_default()),
        }
    }
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
