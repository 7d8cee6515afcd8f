//! The contracts of message stores, and of engines for background jobs.

use std::time::Duration;

use hook_sdk::worker::{Burial, Worker};
use hook_sdk::{CancellationToken, Registry};
use hooks_agent::testing::hold_store;
use hooks_conformance::{JobEngine, check_jobs};
use hooks_store::{JobFilter, JobStatus, JobWorker, Store};

use crate::databases;

struct Stored(Store);

const SILENCE: Duration = Duration::from_millis(300);

impl JobEngine for Stored {
    fn connect(&self, registry: &Registry, _: Worker) {
        registry.set_background(self.0.job_queue());
    }

    fn work(
        &self,
        registry: Registry,
        worker: Worker,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let worker = JobWorker::new(self.0.clone(), registry).worker(worker);
        worker.poll(Duration::from_millis(5)).silence(SILENCE).run(stop)
    }

    fn silence(&self) -> Option<Duration> {
        Some(SILENCE)
    }

    async fn buried(&self, hook: &str) -> Vec<Burial> {
        let jobs = self.0.jobs(&JobFilter::needing_attention().hook(hook), 10).await.unwrap();
        let why = jobs.iter().map(|job| match job.status {
            JobStatus::Interrupted => Burial::Interrupted,
            JobStatus::Quarantined => Burial::Quarantined,
            _ => Burial::Failed,
        });
        why.collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_runs_jobs_as_their_hooks_allow() {
    for database in databases::all().await {
        if let Err(breaches) = check_jobs(&Stored(database.store.clone())).await {
            panic!("{}:\n{breaches}", database.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_keeps_the_contract() {
    for database in databases::all().await {
        if let Err(breaches) = hold_store(&database.store).await {
            panic!("{}:\n{breaches}", database.name);
        }
    }
}
