//! The contract of engines for background jobs.

use std::time::Duration;

use hook_sdk::worker::{Burial, Worker};
use hook_sdk::{CancellationToken, Registry};
use hooks_conformance::{JobEngine, check_jobs};
use hooks_nats::NatsJobs;

use crate::server::Server;

struct Broker(NatsJobs);

const SILENCE: Duration = Duration::from_millis(300);

impl JobEngine for Broker {
    fn connect(&self, registry: &Registry, _: Worker) {
        registry.set_background(self.0.clone());
    }

    fn work(
        &self,
        registry: Registry,
        worker: Worker,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let source = self.0.source().poll(Duration::from_millis(5)).silence(SILENCE);
        async move { worker.run(&registry, source, stop).await }
    }

    fn silence(&self) -> Option<Duration> {
        Some(SILENCE)
    }

    async fn buried(&self, hook: &str) -> Vec<Burial> {
        self.0.buried(hook, 10).await.unwrap().into_iter().map(|job| job.why).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_runs_jobs_as_their_hooks_allow() {
    let Some(server) = Server::start() else { return };
    if let Err(breaches) = check_jobs(&Broker(server.jobs().await)).await {
        panic!("{breaches}");
    }
}
