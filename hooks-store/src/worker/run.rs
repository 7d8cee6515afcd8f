//! A running worker.

use std::ops::ControlFlow;
use std::sync::Arc;

use hook_sdk::CancellationToken;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use super::JobWorker;
use crate::database::Database;
use crate::error::Failure;
use crate::jobs::{Due, Known, Reaper, claim, is_any_left, is_due};

/// A running worker.
pub(super) struct Run {
    settings: Arc<JobWorker>,
    /// Unique across processes, so that no worker mistakes the jobs of an earlier one for its own.
    name: Arc<str>,
    running: JoinSet<()>,
    /// Whether the running job must run alone.
    alone: bool,
    reaper: Reaper,
    next_look: Instant,
}

impl Run {
    pub(super) fn new(worker: JobWorker) -> Self {
        let host = std::env::var("HOSTNAME").or_else(|_| std::fs::read_to_string("/etc/hostname"));
        let host = host.unwrap_or_else(|_| "worker".to_owned());
        let name = format!("{}-{}-{}", host.trim(), std::process::id(), &Uuid::new_v4().simple().to_string()[..8]);
        Self {
            reaper: Reaper::new(worker.silence, i64::from(worker.deaths)),
            settings: Arc::new(worker),
            name: name.into(),
            running: JoinSet::new(),
            alone: false,
            next_look: Instant::now(),
        }
    }

    fn database(&self) -> &Database {
        &self.settings.store.database
    }

    pub(super) async fn work(mut self, stop: &CancellationToken, until_empty: bool) {
        loop {
            match self.step(stop, until_empty).await {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(error) => {
                    tracing::error!(target: "hooks_store", worker = &*self.name, %error, "the database failed");
                    if error.is_closed() {
                        break;
                    }
                    self.wait(stop).await;
                }
            }
            while self.running.try_join_next().is_some() {}
        }
        while self.running.join_next().await.is_some() {}
    }

    async fn step(&mut self, stop: &CancellationToken, until_empty: bool) -> Result<ControlFlow<()>, Failure> {
        if stop.is_cancelled() {
            return Ok(ControlFlow::Break(()));
        }
        self.reap().await?;
        if self.start_next().await? {
            return Ok(ControlFlow::Continue(()));
        }
        if until_empty && self.running.is_empty() && !is_any_left(self.database(), self.settings.known()).await? {
            return Ok(ControlFlow::Break(()));
        }
        self.wait(stop).await;
        Ok(ControlFlow::Continue(()))
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
        let Some(claimed) = claim(self.database(), &self.name, due, known, self.settings.silence).await? else {
            return Ok(false);
        };
        self.alone = due == Due::Alone;
        let settings = Arc::clone(&self.settings);
        self.running.spawn(async move { settings.run_claimed(claimed).await });
        Ok(true)
    }

    /// Waits until a job ends, or it is time to check again.
    async fn wait(&mut self, stop: &CancellationToken) {
        tokio::select! {
            Some(_) = self.running.join_next() => {}
            () = sleep(self.settings.poll) => {}
            () = sleep_until(self.next_look) => {}
            () = stop.cancelled() => {}
        }
    }

    /// Looks for jobs of dead workers, at the pace of heartbeats.
    async fn reap(&mut self) -> Result<(), Failure> {
        if Instant::now() < self.next_look {
            return Ok(());
        }
        self.next_look = Instant::now() + self.settings.silence / 3;
        let database = self.database().clone();
        self.reaper.reap(&database).await
    }
}

impl JobWorker {
    /// The hooks that are registered now, because a plugin can be installed while the worker runs.
    fn known(&self) -> Known {
        let hooks = self.registry.hooks().iter().map(|hook| hook.id().to_string()).collect();
        Known { hooks, patience: self.unknown_after }
    }
}
