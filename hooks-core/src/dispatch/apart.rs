//! Hooks that nobody waits for: started at their place in the plan, or written down for the background.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::HookContext;
use crate::background::{Job, Notice, Outside, Refused};
use crate::hook::{Apart, Binding, BoxFuture, Cause, Handler, Hook, HookId, RunMode, StepParts, call};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::private::Own;
use crate::record::{FailureKind, Status};
use crate::verdict::{Contribution, Contributions, Verdict};

use super::blocking::{at_once, on_pool};
use super::tally::{Fail, Tally};
use super::wait::{Ended, finish, until_cancelled, wait_for};

/// What the notice of a run says that was cut off.
pub(crate) const CUT_OFF: &str = "it was cut off when the registry was drained, or its runtime ended";

const NO_TIMER: &str =
    "it has a deadline and had to wait, but its Tokio runtime has no time enabled; enable it, or say `timeout = none`";

/// Why a run that nobody waited for left nothing.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) cause: Cause,
    /// It would be no different the next time.
    pub(crate) terminal: bool,
}

impl Unfinished {
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        let cause = Cause { kind: FailureKind::Error, status: Status::Failed, text: text.into() };
        Self { cause, terminal: true }
    }

    fn cut_off() -> Self {
        let cause = Cause { kind: FailureKind::Error, status: Status::Cancelled, text: CUT_OFF.to_owned() };
        Self { cause, terminal: true }
    }
}

impl From<Fail> for Unfinished {
    fn from(fail: Fail) -> Self {
        Self { cause: fail.cause(), terminal: false }
    }
}

/// A run with everything that it needs.
pub(crate) type ApartRun = BoxFuture<'static, Result<Contributions, Unfinished>>;

/// Runs until the registry is shut down. What is dropped then may panic, which ends here.
pub(crate) async fn until_shutdown(
    shutdown: &CancellationToken,
    mut run: ApartRun,
) -> Result<Contributions, Unfinished> {
    match until_cancelled(Some(shutdown), |task| run.as_mut().poll(task)).await {
        Some(outcome) => outcome,
        None => {
            let _ = catch(|| drop(run));
            Err(Unfinished::cut_off())
        }
    }
}

type Form<K> = Apart<K, <K as HookKind>::Subject, <K as HookKind>::Verdict>;

/// A hook of a plan that nobody waits for.
pub(crate) struct Unawaited<K: HookKind> {
    id: HookId,
    takes_subject: bool,
    outside: Outside,
    how: How<K>,
}

enum How<K: HookKind> {
    Detached { own: Own<K>, body: Body<K> },
    Background { max_attempts: u32, with: Option<Value> },
}

/// What is run, wherever.
struct Body<K: HookKind> {
    hook: Form<K>,
    timeout: Option<Duration>,
    blocking: bool,
}

impl<K: HookKind> Body<K> {
    fn of(hook: &Hook, handler: Form<K>) -> Self {
        Self { hook: handler, timeout: hook.options.timeout.duration(), blocking: hook.options.blocking }
    }

    /// Runs the hook; what it owns is gone before its end is known.
    fn run(&self, cx: HookContext, event: Arc<K>, subject: Option<K::Subject>) -> ApartRun {
        let (hook, timeout, blocking) = (self.hook.clone(), self.timeout, self.blocking);
        Box::pin(async move {
            let answer = if blocking {
                let call = move || at_once(call!(Apart::&hook(&cx, &event, subject.as_ref())));
                wait_for(on_pool(call), timeout, None).await
            } else {
                let answer = match catch(|| call!(Apart::&hook(&cx, &event, subject.as_ref()))) {
                    Ok(future) => finish(future, timeout, None).await,
                    Err(panic) => Err(Ended::Failed(Fail::Panicked(panic))),
                };
                match catch(|| drop((cx, event, subject))) {
                    Ok(()) => answer,
                    Err(panic) => answer.and(Err(Ended::Failed(Fail::Panicked(panic)))),
                }
            };
            match answer {
                Ok(Ok(verdict)) => left(&verdict),
                Ok(Err(fault)) => Err(Fail::Fault(fault).into()),
                Err(Ended::Failed(fail)) => Err(fail.into()),
                Err(Ended::Stopped(_)) => Err(Unfinished::failed(NO_TIMER)),
            }
        })
    }
}

/// What counts of an answer that nobody waited for.
fn left<V: Verdict>(verdict: &V) -> Result<Contributions, Unfinished> {
    // The verdict may be the app's own, with code of the app.
    let read = catch(|| match (verdict as &dyn Any).downcast_ref::<Contributions>() {
        Some(contributions) => match contributions.iter().find_map(forbidden) {
            Some(what) => Err(format!(
                "it left {what}, but of a run that nobody waits for only audit notes and background jobs count"
            )),
            None => Ok(contributions.clone()),
        },
        None if verdict.summary().is_some() => {
            Err("it decided something, but nobody waits for what it decides".to_owned())
        }
        None => Ok(Contributions::default()),
    });
    match read {
        Ok(read) => read.map_err(Unfinished::failed),
        Err(panic) => Err(Fail::Panicked(panic).into()),
    }
}

fn forbidden(contribution: &Contribution) -> Option<&'static str> {
    match contribution {
        Contribution::Audit { .. } | Contribution::BackgroundJob { .. } | Contribution::Noop => None,
        Contribution::Policy { .. } => Some("a policy"),
        Contribution::PromptContext { .. } => Some("prompt context"),
        Contribution::PromptSection { .. } => Some("a prompt section"),
        Contribution::ToolBundle { .. } => Some("a tool bundle"),
    }
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
                let notice = Notice {
                    kind: K::NAME.into(),
                    hook: self.id.clone(),
                    mode: RunMode::Detached,
                    cx: cx.clone(),
                    job: None,
                    attempt: 1,
                    observers: Arc::clone(&self.outside.observers),
                    permit: Some(permit),
                    started: Some(Instant::now()),
                };
                let subject = self.takes_subject.then(|| subject.clone());
                let run = body.run(cx, event, subject);
                handle.spawn(async move {
                    // Moved in first, so that it is dropped last: it tells of a run that the runtime drops.
                    let notice = notice;
                    let outcome = until_shutdown(&shutdown, run).await;
                    notice.end(outcome);
                });
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
        let wire = K::WIRE.ok_or("its kind cannot be written as JSON")?;
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
            Err(NotBegun::Failed(text)) => return Err(Fail::Fault(crate::hook::Fault::error(text))),
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

/// What a job asks for that cannot be read, and why.
pub(crate) type Unreadable = (&'static str, String);

/// Makes a run of a job. The values are the app's types, and so is the code that reads them.
pub(crate) fn read_job<K: HookKind>(
    hook: &Hook,
    binding: &Binding,
    cx: HookContext,
    job: &Job,
) -> Result<ApartRun, Unreadable> {
    let (Some(handler), Some(wire)) = (binding.handler::<K>(), K::WIRE) else {
        return Err(("kind", "it is another one here".to_owned()));
    };
    let handler = match hook.with {
        Some(spec) => handler.bound(&spec.parse(job.with.as_ref()).map_err(|error| ("parameters", error))?),
        None => handler.clone(),
    };
    let Handler::Apart(form) = handler else { return Err(("hook", "the dispatch waits for it here".to_owned())) };
    let event = read("event", || (wire.read_event)(job.event.clone()))?;
    let subject = match binding.takes_subject {
        true => Some(read("subject", || (wire.read_subject)(job.subject.clone().unwrap_or_default()))?),
        false => None,
    };
    Ok(Body::of(hook, form).run(cx, Arc::new(event), subject))
}

fn read<T>(part: &'static str, read: impl FnOnce() -> Result<T, serde_json::Error>) -> Result<T, Unreadable> {
    match catch(read) {
        Ok(value) => value.map_err(|error| (part, error.to_string())),
        Err(panic) => Err((part, format!("reading it panicked: {panic}"))),
    }
}
