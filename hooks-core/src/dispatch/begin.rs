//! Beginning what nobody waits for: a detached run is started at its place in the plan, a background run is written down.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::HookContext;
use crate::background::{Job, Notice, Outside, Refused};
use crate::hook::{Fault, Handler, HookId, RunMode, StepParts, Visibility};
use crate::kind::HookKind;
use crate::private::Own;
use crate::record::Status;

use super::apart::{Body, until_shutdown};
use super::depth::within_this;
use super::tally::{Fail, Tally};

/// A hook of a plan that nobody waits for.
pub(crate) struct Unawaited<K: HookKind> {
    id: HookId,
    visibility: Visibility,
    takes_subject: bool,
    outside: Outside,
    how: How<K>,
}

enum How<K: HookKind> {
    Detached { own: Own<K>, body: Body<K> },
    Background { max_attempts: u32, with: Option<Value> },
}

/// Why a run was not begun.
enum NotBegun {
    /// There is no room for it.
    Dropped(String),
    /// It could not be begun.
    Failed(String),
}

impl<K: HookKind> Unawaited<K> {
    /// `None` for a hook that a dispatch waits for.
    pub(crate) fn of(part: &StepParts<'_>, handler: &Handler<K>) -> Option<Box<Self>> {
        let Handler::Apart(hook) = handler else { return None };
        let options = &part.hook.options;
        let how = match options.run {
            RunMode::Background => {
                How::Background { max_attempts: options.retries.saturating_add(1), with: part.given.cloned() }
            }
            RunMode::Detached | RunMode::Inline => {
                How::Detached { own: part.binding.own::<K>()?, body: Body::of(part.hook, hook.clone()) }
            }
        };
        Some(Box::new(Self {
            id: part.hook.id.clone(),
            visibility: options.visibility,
            takes_subject: part.binding.takes_subject,
            outside: part.outside.clone(),
            how,
        }))
    }

    /// Starts or queues the run. `shared` is the event that all detached hooks of the dispatch have.
    fn begin(
        &self,
        cx: &HookContext,
        event: &K,
        shared: &mut Option<Arc<dyn Any + Send + Sync>>,
        subject: &K::Subject,
    ) -> Result<Status, NotBegun> {
        match &self.how {
            How::Detached { own, body } => {
                let handle = Handle::try_current().map_err(|_| {
                    NotBegun::Failed("a detached hook runs on a Tokio runtime, and there is none here".to_owned())
                })?;
                let permit = self.outside.tasks.admit().map_err(NotBegun::Dropped)?;
                let known = shared.as_ref().and_then(|shared| Arc::clone(shared).downcast::<K>().ok());
                let event = known.unwrap_or_else(|| own(event));
                *shared = Some(Arc::clone(&event) as Arc<dyn Any + Send + Sync>);
                let shutdown = self.outside.tasks.shutdown.clone();
                let cx = cx.outliving(shutdown.clone());
                let subject = self.takes_subject.then(|| subject.clone());
                // Code of the app has run by now; from here on an end is told.
                let notice = Notice {
                    kind: K::NAME.into(),
                    hook: self.id.clone(),
                    visibility: self.visibility,
                    mode: RunMode::Detached,
                    cx: cx.clone(),
                    job: None,
                    attempt: 1,
                    observers: Arc::clone(&self.outside.observers),
                    permit: Some(permit),
                    started: Some(Instant::now()),
                };
                let run = body.run(cx, event, subject);
                // A run that fires hooks counts as within this dispatch.
                handle.spawn(within_this(async move {
                    // Of this task's own, so that it outlives the run: where the runtime drops both, it tells of it.
                    let notice = notice;
                    let outcome = until_shutdown(&shutdown, run).await;
                    notice.end(outcome);
                }));
                Ok(Status::Detached)
            }
            How::Background { max_attempts, with } => {
                let job = self.job(cx, event, subject, *max_attempts, with.clone()).map_err(NotBegun::Failed)?;
                // A set with a background hook is not made without one.
                let sink = self.outside.sink.as_ref().ok_or_else(|| NotBegun::Failed(Refused::Closed.to_string()))?;
                match sink.enqueue(job) {
                    Ok(()) => Ok(Status::Queued),
                    Err(refused @ (Refused::Full | Refused::Closed)) => {
                        self.outside.tasks.dropped();
                        Err(NotBegun::Dropped(refused.to_string()))
                    }
                    Err(refused @ Refused::Failed(_)) => Err(NotBegun::Failed(refused.to_string())),
                }
            }
        }
    }

    fn job(
        &self,
        cx: &HookContext,
        event: &K,
        subject: &K::Subject,
        max_attempts: u32,
        with: Option<Value>,
    ) -> Result<Job, String> {
        let wire = K::WIRE.ok_or("its kind cannot be written as JSON")?();
        let unwritable = |what: &str| {
            let what = what.to_owned();
            move |error| format!("the {what} cannot be written as JSON: {error}")
        };
        let event = (wire.write_event)(event).map_err(unwritable("event"))?;
        let subject = self.takes_subject.then(|| (wire.write_subject)(subject));
        let subject = subject.transpose().map_err(unwritable("subject"))?;
        let mut job = Job::new(&self.id, K::NAME, event, subject, cx);
        (job.max_attempts, job.with) = (max_attempts, with);
        Ok(job.keyed())
    }
}

impl<K: HookKind> Tally<'_, K> {
    /// Begins the run of a hook that nobody waits for.
    #[cold]
    pub(super) fn begin(
        &mut self,
        index: usize,
        cx: &HookContext,
        event: &K,
        subject: &K::Subject,
    ) -> Result<(), Fail> {
        let step = &self.plan.steps[index];
        let Some(unawaited) = &step.unawaited else { return Ok(()) };
        let begun = unawaited.begin(cx, event, &mut self.aside().event, subject);
        let (status, cause) = match begun {
            Ok(status) => (status, None),
            Err(NotBegun::Dropped(cause)) => (Status::Dropped, Some(cause)),
            Err(NotBegun::Failed(text)) => return Err(Fail::Fault(Fault::error(text))),
        };
        if let Some(cause) = &cause {
            tracing::warn!(target: "hooks_core", hook = %step.id, kind = K::NAME, cause, "hook dropped");
        }
        if let Some(log) = self.log() {
            log.begun(index, status, cause);
        }
        Ok(())
    }
}
