//! The engine in memory keeps the contract.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use std::time::Duration;

use hook_sdk::worker::{Burial, Worker};
use hook_sdk::{CancellationToken, Registry};
use hooks_conformance::{JobEngine, check_jobs};

struct Memory;

impl JobEngine for Memory {
    fn connect(&self, registry: &Registry, worker: Worker) {
        worker.start(registry).unwrap();
    }

    #[allow(clippy::manual_async_fn, reason = "the future outlives the engine")]
    fn work(&self, _: Registry, _: Worker, stop: CancellationToken) -> impl Future<Output = ()> + Send + 'static {
        async move { stop.cancelled().await }
    }

    fn silence(&self) -> Option<Duration> {
        None
    }

    async fn buried(&self, _: &str) -> Vec<Burial> {
        Vec::new()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_in_memory_runs_jobs_as_their_hooks_allow() {
    check_jobs(&Memory).await.unwrap();
}
