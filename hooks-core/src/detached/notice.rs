//! Reports the end of a detached or background run, however it ends.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use super::run::RunError;
use super::{Job, Permit};
use crate::context::Ids;
use crate::id::HookId;
use crate::options::{RunMode, Visibility};
use crate::record::{Observer, Run, RunEnd, Skip, Status};
use crate::text::redacted;
use crate::verdict::{Contributions, Verdict as _};

/// Reports the end of one run to observers. If it is dropped first, it reports a cancelled run.
pub(crate) struct Notice {
    pub(crate) kind: Cow<'static, str>,
    pub(crate) hook: HookId,
    pub(crate) visibility: Visibility,
    pub(crate) ids: Arc<Ids>,
    /// The job of a background run; `None` for a detached run.
    pub(crate) job: Option<String>,
    pub(crate) attempt: u32,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    /// `None` once the end was reported.
    pub(crate) permit: Option<Permit>,
    pub(crate) started: Option<Instant>,
}

impl Notice {
    /// The notice of an attempt at a job.
    pub(crate) fn of_job(
        job: &Job,
        visibility: Visibility,
        observers: Arc<[Arc<dyn Observer>]>,
        permit: Permit,
    ) -> Self {
        Self {
            kind: job.kind.clone().into(),
            hook: job.name().clone(),
            visibility,
            ids: Arc::new(job.context.clone()),
            job: Some(job.id.clone()),
            attempt: job.attempt,
            observers,
            permit: Some(permit),
            started: None,
        }
    }

    /// Reports how the run ended. If it fails and is not `last`, it is retried.
    pub(crate) fn end(mut self, outcome: Result<Contributions, RunError>, last: bool) -> (RunEnd, Contributions) {
        self.report(outcome, last)
    }

    fn report(&mut self, outcome: Result<Contributions, RunError>, last: bool) -> (RunEnd, Contributions) {
        let again = !last && matches!(&outcome, Err(why) if !why.terminal);
        let (status, cause, contributions) = match outcome {
            Ok(contributions) => (Status::Completed, None, contributions),
            Err(why) => (why.status, Some(redacted(&why.text)), Contributions::default()),
        };
        let run = Run {
            status,
            cause,
            duration: self.started.map(|started| started.elapsed()),
            verdict: contributions.summary(),
            ..Run::skipped(&self.hook, Skip::Aborted, self.visibility)
        };
        let mode = if self.job.is_some() { RunMode::Background } else { RunMode::Detached };
        let (kind, ids, job) = (self.kind.clone(), Arc::clone(&self.ids), self.job.clone());
        let ended = RunEnd { kind, ids, mode, job, attempt: self.attempt, again, run };
        let permit = self.permit.take();
        ended.report(&contributions, &self.observers);
        // Released after the report, so that a task that waits for the last run finds all ends reported.
        if let Some(permit) = permit {
            permit.release(status);
        }
        (ended, contributions)
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        if self.permit.is_some() {
            let _ = self.report(Err(RunError::cut_off()), true);
        }
    }
}
