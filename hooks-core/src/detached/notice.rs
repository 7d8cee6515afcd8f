//! Reports the end of a detached or background run, however it ends.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use super::run::{CUT_OFF, RunError};
use super::{Job, Permit};
use crate::context::HookContext;
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
    pub(crate) mode: RunMode,
    pub(crate) cx: HookContext,
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
            mode: RunMode::Background,
            cx: job.within(&HookContext::new()),
            job: Some(job.id.clone()),
            attempt: job.attempt,
            observers,
            permit: Some(permit),
            started: None,
        }
    }

    /// Reports how the run ended. If it fails and is not `last`, it is retried.
    pub(crate) fn end(mut self, outcome: Result<Contributions, RunError>, last: bool) -> (RunEnd, Contributions) {
        let permit = self.permit.take();
        let again = !last && matches!(&outcome, Err(why) if !why.terminal);
        let (ended, contributions) = self.report(outcome, again);
        // Released after the report, so that a task that waits for the last run finds all ends reported.
        if let Some(permit) = permit {
            permit.release(ended.run.status);
        }
        (ended, contributions)
    }

    fn report(&mut self, outcome: Result<Contributions, RunError>, again: bool) -> (RunEnd, Contributions) {
        let (status, cause, contributions) = match outcome {
            Ok(contributions) => (Status::Completed, None, contributions),
            Err(why) => (why.status, Some(redacted(&why.text)), Contributions::default()),
        };
        let mut ended = self.ended(status, cause);
        ended.run.verdict = contributions.summary();
        ended.again = again;
        ended.report(&contributions, &self.observers);
        (ended, contributions)
    }

    fn ended(&self, status: Status, cause: Option<String>) -> RunEnd {
        let run = Run {
            status,
            duration: self.started.map(|started| started.elapsed()),
            cause,
            ..Run::skipped(&self.hook, Skip::Aborted, self.visibility)
        };
        let (kind, ids, job) = (self.kind.clone(), Arc::clone(self.cx.ids()), self.job.clone());
        RunEnd { kind, ids, mode: self.mode, job, attempt: self.attempt, again: false, run }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.ended(Status::Cancelled, Some(CUT_OFF.to_owned())).report(&Contributions::default(), &self.observers);
            permit.release(Status::Cancelled);
        }
    }
}
