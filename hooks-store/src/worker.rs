//! Works off background jobs.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::record::Status;
use hooks_core::worker::{Backoff, JobErrorKind};
use hooks_core::{CancellationToken, HookContext, Registry};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use crate::database::Database;
use crate::jobs::{Claimed, End, JobStatus, Reaper, beat, claim, end, is_due};
use crate::store::Store;

/// Works off the background jobs of a store, with the hooks of a registry. Any number of workers may share a store, on any
/// number of machines.
///
/// The job of an idempotent hook runs at least once, that of any other one at most once. A worker that shows no life for
/// [`silence`](Self::silence) is taken for dead, and its jobs for lost: those of idempotent hooks run again, the others are
/// interrupted and stay so.
#[derive(Clone, Debug)]
#[must_use = "a worker works once it is run"]
pub struct Worker {
    store: Store,
    registry: Registry,
    cx: HookContext,
    parallelism: usize,
    poll: Duration,
    silence: Duration,
    deaths: u32,
    backoff: Backoff,
}

impl Worker {
    /// A worker that runs one job at a time.
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
        }
    }

    /// The context whose state the hooks find; the ids are those of each job.
    pub fn context(mut self, cx: HookContext) -> Self {
        self.cx = cx;
        self
    }

    /// How many jobs run at a time, at least one.
    pub fn parallelism(mut self, jobs: usize) -> Self {
        self.parallelism = jobs.max(1);
        self
    }

    /// How often it looks for jobs where there were none: every 500 ms unless this is said.
    pub fn poll(mut self, every: Duration) -> Self {
        self.poll = every.max(Duration::from_millis(1));
        self
    }

    /// How long a worker may show no life before its jobs are taken from it: 15 s unless this is said. The same for all
    /// workers of a store.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = limit.max(Duration::from_millis(30));
        self
    }

    /// After how many workers that ended while they ran it a job is quarantined: 5 unless this is said. From the second on it
    /// runs alone.
    pub fn deaths(mut self, limit: u32) -> Self {
        self.deaths = limit.max(1);
        self
    }

    /// How long a job that failed waits before it is tried again.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Works until `stop` is cancelled, and then ends what it runs.
    ///
    /// What the database refuses is reported with `tracing` and tried again: a worker outlives a restart of its database.
    pub async fn run(self, stop: CancellationToken) {
        Run::new(self).work(&stop, false).await;
    }

    /// Works until no job is queued or running any more, here or elsewhere; those that wait for a later moment count.
    pub async fn run_until_empty(self) {
        Run::new(self).work(&CancellationToken::new(), true).await;
    }
}

/// A worker at work.
struct Run {
    settings: Arc<Worker>,
    /// Fresh in each process: nobody takes another one's jobs for its own.
    name: Arc<str>,
    running: JoinSet<()>,
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
            next_beat: Instant::now(),
        }
    }

    fn database(&self) -> &Database {
        &self.settings.store.database
    }

    async fn work(mut self, stop: &CancellationToken, until_empty: bool) {
        loop {
            let taken = if stop.is_cancelled() { Ok(false) } else { self.take().await };
            if stop.is_cancelled() && self.running.is_empty() {
                return;
            }
            match taken {
                Ok(true) => {}
                Ok(false) if until_empty && self.running.is_empty() && self.is_empty().await.unwrap_or(false) => return,
                Ok(false) => self.wait(stop).await,
                Err(error) => {
                    tracing::error!(target: "hooks_store", worker = &*self.name, %error, "the database refused");
                    self.wait(stop).await;
                }
            }
            self.live().await;
            while self.running.try_join_next().is_some() {}
        }
    }

    /// Starts the next job; `false` where there is none, or no room.
    async fn take(&mut self) -> Result<bool, sqlx::Error> {
        if self.running.len() >= self.settings.parallelism {
            return Ok(false);
        }
        let claimed = if self.running.is_empty() {
            // What ended other workers comes first while nothing runs that it could take with it.
            match claim(self.database(), &self.name, true).await? {
                Some(alone) => {
                    self.start(alone);
                    while !self.running.is_empty() {
                        self.wait(&CancellationToken::new()).await;
                        self.live().await;
                    }
                    return Ok(true);
                }
                None => claim(self.database(), &self.name, false).await?,
            }
        } else if is_due(self.database(), true).await? {
            // It waits until nothing runs, and nothing new starts before it.
            None
        } else {
            claim(self.database(), &self.name, false).await?
        };
        let found = claimed.is_some();
        if let Some(claimed) = claimed {
            self.start(claimed);
        }
        Ok(found)
    }

    fn start(&mut self, claimed: Claimed) {
        let settings = Arc::clone(&self.settings);
        self.running.spawn(async move { settings.run_claimed(claimed).await });
    }

    /// Until a job ends, or it is time to look again.
    async fn wait(&mut self, stop: &CancellationToken) {
        let stopped = async { if stop.is_cancelled() { std::future::pending().await } else { stop.cancelled().await } };
        tokio::select! {
            Some(_) = self.running.join_next() => {}
            () = sleep(self.settings.poll) => {}
            () = sleep_until(self.next_beat) => {}
            () = stopped => {}
        }
    }

    /// Shows life, and looks for those who show none.
    async fn live(&mut self) {
        if Instant::now() < self.next_beat {
            return;
        }
        self.next_beat = Instant::now() + self.settings.silence / 3;
        let database = self.settings.store.database.clone();
        let lived = async {
            beat(&database, &self.name).await?;
            self.reaper.reap(&database).await
        };
        if let Err(error) = lived.await {
            tracing::error!(target: "hooks_store", worker = &*self.name, %error, "the database refused a beat");
        }
    }

    async fn is_empty(&self) -> Result<bool, sqlx::Error> {
        let left = "SELECT COUNT(*) FROM hooks_jobs WHERE status IN ('queued', 'running')";
        let left: i64 = sqlx::query_scalar(left).fetch_one(&self.database().readers).await?;
        Ok(left == 0)
    }
}

impl Worker {
    /// Runs a job and writes how it ended, until that is written.
    async fn run_claimed(&self, claimed: Claimed) {
        let ending = self.ending(&claimed).await;
        loop {
            match end(&self.store.database, &claimed, &ending).await {
                Ok(true) => return,
                Ok(false) => {
                    let (job, status) = (&claimed.id, &ending.word);
                    tracing::warn!(target: "hooks_store", job, status, "a job ended that was taken from this worker meanwhile");
                    return;
                }
                Err(error) => {
                    tracing::error!(target: "hooks_store", job = claimed.id, %error, "the end of a job is not written yet");
                    sleep(self.poll).await;
                }
            }
        }
    }

    async fn ending(&self, claimed: &Claimed) -> End {
        let failed = |word: &str, code, cause| End {
            status: JobStatus::Failed,
            word: word.to_owned(),
            code,
            cause: Some(cause),
            again: None,
        };
        let job = match &claimed.job {
            Ok(job) => job,
            Err(cause) => return failed("failed", Some(code(JobErrorKind::Unreadable)), cause.clone()),
        };
        let ran = match self.registry.run_job(&self.cx, job).await {
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

/// A status as records have it.
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
