//! A test for engines that run background jobs.

mod cases;

use std::fmt;
use std::time::Duration;

use hook_sdk::worker::{Burial, Worker};
use hook_sdk::{CancellationToken, Registry};

/// An engine of background jobs: a queue, and workers that take jobs from it.
pub trait JobEngine: Sync {
    /// Makes the queue the sink of a registry. `worker` is for engines whose queue is its worker, such as the one in
    /// memory.
    fn connect(&self, registry: &Registry, worker: Worker);

    /// Works until `stop` is cancelled. If the future is dropped, the worker has died.
    fn work(
        &self,
        registry: Registry,
        worker: Worker,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static;

    /// The time after which a worker is considered dead, some 100 ms for a test. `None` if jobs die with their worker.
    fn silence(&self) -> Option<Duration>;

    /// Why jobs of this hook were buried.
    fn buried(&self, hook: &str) -> impl Future<Output = Vec<Burial>> + Send;
}

/// What an engine does wrong, one sentence per line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct JobBreaches(Vec<String>);

impl JobBreaches {
    /// The sentences.
    pub fn breaches(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for JobBreaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Checks that an engine runs each job as its hook allows, also if workers die. Its queue has to be empty at first, and
/// its workers may not use paused time.
///
/// # Errors
/// What it does wrong.
pub async fn check_jobs(engine: &impl JobEngine) -> Result<(), JobBreaches> {
    let mut breaches = Vec::new();
    let mut note = |what: &str, result: Result<(), String>| {
        breaches.extend(result.err().map(|error| format!("{what}: {error}")));
    };
    note("each job runs once", cases::once(engine).await);
    note("a failed job is retried, and then kept for people", cases::again(engine).await);
    note("a job waits for its delay", cases::delay(engine).await);
    if let Some(silence) = engine.silence() {
        note("a job of an unknown hook is left to other workers", cases::unknown(engine).await);
        note("a worker that stops ends what it runs and leaves the rest", cases::stop(engine).await);
        note("a job that takes long has one worker", cases::long(engine, silence).await);
        note("the job of a dead worker runs again only if that is allowed", cases::death(engine).await);
        note("a job that kills its workers is given up", cases::deaths(engine).await);
    }
    if breaches.is_empty() { Ok(()) } else { Err(JobBreaches(breaches)) }
}
