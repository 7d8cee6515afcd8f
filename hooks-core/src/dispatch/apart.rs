//! Running what nobody waits for, with an event, a subject and a context of its own.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::HookContext;
use crate::background::Job;
use crate::context::OfHook;
use crate::hook::{Apart, Binding, BoxFuture, Cause, Handler, Hook, call};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::record::{FailureKind, Status};
use crate::verdict::{Contribution, Contributions, Verdict};

use super::blocking::{at_once, on_pool};
use super::tally::Fail;
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

/// What is run, wherever.
pub(super) struct Body<K: HookKind> {
    hook: Form<K>,
    timeout: Option<Duration>,
    blocking: bool,
}

impl<K: HookKind> Body<K> {
    pub(super) fn of(hook: &Hook, handler: Form<K>) -> Self {
        Self { hook: handler, timeout: hook.options.timeout.duration(), blocking: hook.options.blocking }
    }

    /// Runs the hook; what it owns is gone before its end is known.
    pub(super) fn run(&self, cx: HookContext, event: Arc<K>, subject: Option<K::Subject>) -> ApartRun {
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
        Contribution::PromptManifestDiagnostic(_) => Some("a diagnostic of the prompt"),
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
    let wire = wire();
    let with =
        hook.with.map(|spec| spec.parse(job.with.as_ref())).transpose().map_err(|error| ("parameters", error))?;
    let plugin = hook.plugin.clone().filter(|_| hook.asks_context);
    let handler = if with.is_some() || plugin.is_some() {
        handler.bound(&Arc::new(OfHook { with, plugin }))
    } else {
        handler.clone()
    };
    let handler = match hook.options.capabilities {
        Some(held) => handler.limited(held, &hook.id),
        None => handler,
    };
    let Handler::Apart(form) = handler else { return Err(("hook", "the dispatch waits for it here".to_owned())) };
    let event = read("event", || (wire.read_event)(job.event.clone()))?;
    let subject = || read("subject", || (wire.read_subject)(job.subject.clone().unwrap_or_default()));
    let subject = binding.takes_subject.then(subject).transpose()?;
    Ok(Body::of(hook, form).run(cx, Arc::new(event), subject))
}

fn read<T>(part: &'static str, read: impl FnOnce() -> Result<T, serde_json::Error>) -> Result<T, Unreadable> {
    match catch(read) {
        Ok(value) => value.map_err(|error| (part, error.to_string())),
        Err(panic) => Err((part, format!("reading it panicked: {panic}"))),
    }
}
