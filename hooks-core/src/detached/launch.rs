//! Starts runs that no dispatch waits for: a detached run is spawned at its place in the plan, a background run becomes
//! a job.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::runtime::Handle;

use super::run::{Body, until_shutdown};
use super::{DetachedRun, DetachedRuns, EnqueueError, Job, Notice, Permit};
use crate::context::depth::within_this;
use crate::context::{HookContext, Ids};
use crate::handler::Handler;
use crate::hook::CloneEvent;
use crate::id::HookId;
use crate::job::fresh_id;
use crate::kind::HookKind;
use crate::options::{Options, RunMode};
use crate::panics::catch;
use crate::plan::{Launch, LaunchError, PlannedHook};
use crate::record::Status;

/// Starts one detached or background hook of a plan.
pub(crate) struct Launcher<K: HookKind> {
    hook: Launched,
    takes_subject: bool,
    /// How a detached hook owns its event, and what runs; `None` for a background hook.
    detached: Option<(CloneEvent<K>, Body<K>)>,
}

/// The part of a launcher that does not depend on the kind, so that its code is compiled once.
struct Launched {
    /// The name in records.
    id: HookId,
    /// The id under which the hook is registered.
    registered: HookId,
    options: Options,
    /// The parameters from the list.
    with: Option<Value>,
    runs: DetachedRuns,
}

impl<K: HookKind> Launcher<K> {
    /// Returns `None` for a hook that a dispatch waits for.
    pub(crate) fn of(
        planned: &PlannedHook<'_>,
        handler: &Handler<K>,
        runs: &DetachedRuns,
    ) -> Option<Box<dyn Launch<K>>> {
        let (selection, binding) = (planned.selection, planned.binding);
        let body = Body::of(&selection.hook.id, &binding.options, handler, selection.hook_cx.clone())?;
        let detached = match binding.options.run {
            RunMode::Background => None,
            RunMode::Detached | RunMode::Inline => Some((binding.clone_event::<K>()?, body)),
        };
        let hook = Launched {
            id: selection.hook.id.clone(),
            registered: selection.id.clone(),
            options: binding.options.clone(),
            with: selection.given.clone(),
            runs: runs.clone(),
        };
        Some(Box::new(Self { hook, takes_subject: binding.takes_subject, detached }))
    }

    fn write_job(&self, cx: &HookContext, event: &K, subject: &K::Subject) -> Result<Job, String> {
        let wire = K::WIRE.ok_or("its kind cannot be serialized as JSON")?();
        let event = (wire.write_event)(event);
        let subject = self.takes_subject.then(|| (wire.write_subject)(subject));
        self.hook.job(K::NAME, cx, event, subject)
    }
}

impl Launched {
    /// The runtime for a detached run, and the permission to start it.
    fn admit(&self) -> Result<(Handle, Permit), LaunchError> {
        let handle = Handle::try_current().map_err(|_| {
            LaunchError::Failed("a detached hook needs a Tokio runtime, and none is running here".to_owned())
        })?;
        Ok((handle, self.runs.tasks.admit().map_err(LaunchError::Dropped)?))
    }

    /// The notice of a detached run.
    fn notice(&self, kind: &'static str, cx: &HookContext, permit: Permit) -> Notice {
        Notice {
            kind: kind.into(),
            hook: self.id.clone(),
            visibility: self.options.visibility,
            ids: Arc::clone(cx.ids()),
            job: None,
            attempt: 1,
            observers: Arc::clone(&self.runs.observers),
            permit: Some(permit),
            started: Some(Instant::now()),
        }
    }

    fn spawn(&self, handle: &Handle, notice: Notice, run: DetachedRun) {
        let shutdown = self.runs.tasks.shutdown.clone();
        // Dispatches that the run fires count as nested in this one.
        handle.spawn(within_this(async move {
            // Owned by this task, so that it outlives the run: if the runtime drops both, the notice reports it.
            let notice = notice;
            let outcome = until_shutdown(&shutdown, run).await;
            let _ = notice.end(outcome, true);
        }));
    }

    fn job(
        &self,
        kind: &'static str,
        cx: &HookContext,
        event: Result<Value, serde_json::Error>,
        subject: Option<Result<Value, serde_json::Error>>,
    ) -> Result<Job, String> {
        let unwritable = |what| move |error| format!("the {what} cannot be serialized as JSON: {error}");
        let event = event.map_err(unwritable("event"))?;
        let subject = subject.transpose().map_err(unwritable("subject"))?;
        let job = Job {
            id: fresh_id(),
            hook: self.registered.clone(),
            alias: (self.id != self.registered).then(|| self.id.clone()),
            kind: kind.to_owned(),
            event,
            subject,
            with: self.with.clone(),
            context: Ids::clone(cx.ids()),
            attempt: 1,
            max_attempts: self.options.retries.saturating_add(1),
            delay: self.options.delay,
            idempotent: self.options.idempotent,
            idempotency_key: String::new(),
        };
        Ok(job.keyed())
    }

    fn enqueue(&self, job: Job) -> Result<Status, LaunchError> {
        // A set with background hooks cannot be made without a sink.
        let sink = self.runs.sink.as_ref().ok_or_else(|| LaunchError::Failed(EnqueueError::Closed.to_string()))?;
        match sink.enqueue(job) {
            Ok(()) => Ok(Status::Queued),
            Err(refused @ (EnqueueError::Full | EnqueueError::Closed)) => {
                self.runs.tasks.dropped();
                Err(LaunchError::Dropped(refused.to_string()))
            }
            Err(refused) => Err(LaunchError::Failed(refused.to_string())),
        }
    }
}

impl<K: HookKind> Launch<K> for Launcher<K> {
    fn launch(
        &self,
        cx: &HookContext,
        event: &K,
        shared: &mut Option<Arc<K>>,
        subject: &K::Subject,
    ) -> Result<Status, LaunchError> {
        match &self.detached {
            Some((own, body)) => {
                let (handle, permit) = self.hook.admit()?;
                let event = Arc::clone(shared.get_or_insert_with(|| own(event)));
                let subject = self.takes_subject.then(|| subject.clone());
                // App code that may panic, such as `Clone`, has run by now. From here on the notice reports the end.
                let notice = self.hook.notice(K::NAME, cx, permit);
                let run = body.run(cx.outliving(self.hook.runs.tasks.shutdown.clone()), event, subject);
                self.hook.spawn(&handle, notice, run);
                Ok(Status::Detached)
            }
            None if cx.has_queued_jobs() => Ok(Status::Queued),
            None => {
                let job = self.write_job(cx, event, subject).map_err(LaunchError::Failed)?;
                self.hook.enqueue(job)
            }
        }
    }

    fn job(&self, cx: &HookContext, event: &K, subject: &K::Subject) -> Option<Job> {
        let is_job = self.detached.is_none();
        is_job.then(|| catch(|| self.write_job(cx, event, subject)).ok()?.ok())?
    }
}
