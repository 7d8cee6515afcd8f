//! Detached runs and jobs of a trial, for which the trial waits although its dispatch does not.

use std::sync::{Arc, Mutex};

use crate::context::HookContext;
use crate::detached::{BackgroundSink, EnqueueError, Job};
use crate::panics::lock;
use crate::record::{Observer, Record, Run, RunEnd};
use crate::registry::Registry;
use crate::verdict::{Contributions, Verdict as _};
use crate::worker::JobError;

/// Collects the jobs of a trial, and how its runs ended.
#[derive(Default)]
pub(super) struct TrialRuns(Mutex<Ends>);

/// How the detached and background runs ended.
#[derive(Default)]
pub(super) struct Ends {
    /// The jobs that have not run yet.
    jobs: Vec<Job>,
    pub(super) runs: Vec<Run>,
    pub(super) left: Contributions,
}

impl TrialRuns {
    /// Runs every job once, as a worker would, and waits for the detached runs.
    pub(super) async fn finish(&self, registry: &Registry, cx: &HookContext) -> Result<(), JobError> {
        let jobs = std::mem::take(&mut lock(&self.0).jobs);
        for job in jobs {
            let _ = registry.run_job(cx, &job).await?;
        }
        registry.tasks().idle().await;
        Ok(())
    }

    pub(super) fn ends(&self) -> Ends {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl BackgroundSink for Arc<TrialRuns> {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        // Serialized and parsed, as if sent to another process.
        let line = serde_json::to_string(&job).map_err(|error| EnqueueError::Failed(error.to_string()))?;
        let job = serde_json::from_str(&line).map_err(|error| EnqueueError::Failed(error.to_string()))?;
        lock(&self.0).jobs.push(job);
        Ok(())
    }
}

impl Observer for Arc<TrialRuns> {
    fn dispatched(&self, _record: &Record) {}

    fn ended(&self, ended: &RunEnd, contributions: &Contributions) {
        let mut ends = lock(&self.0);
        ends.runs.push(ended.run.clone());
        ends.left.merge(contributions.clone());
    }
}
