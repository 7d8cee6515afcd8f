//! Runs a hook that no dispatch waits for, with an event, a subject and a context of its own.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::context::{HookContext, PerHook};
use crate::dispatch::{at_once, hook_span, in_span, on_pool, until_cancelled, wait_for};
use crate::handler::{Answer, BoxFuture, Detached, Fault, FaultKind, Handler, HookError, call};
use crate::id::HookId;
use crate::kind::HookKind;
use crate::options::Options;
use crate::panics::catch;
use crate::record::Status;
use crate::verdict::{Capabilities, Capability, Contributions, Verdict};

/// The cause of a run that was cancelled.
const CUT_OFF: &str = "it was cancelled because the registry was drained or dropped, or its runtime ended; await `registry.drain(…)` before the program ends";

/// How a run ended without an answer.
#[derive(Debug)]
pub(crate) struct RunError {
    pub(crate) status: Status,
    pub(crate) text: String,
    /// A retry would fail the same way.
    pub(crate) terminal: bool,
}

impl RunError {
    pub(crate) fn terminal(text: impl Into<String>) -> Self {
        Self { status: Status::Failed, text: text.into(), terminal: true }
    }

    pub(super) fn cut_off() -> Self {
        Self { status: Status::Cancelled, text: CUT_OFF.to_owned(), terminal: true }
    }
}

impl From<Fault> for RunError {
    fn from(fault: Fault) -> Self {
        let terminal = matches!(*fault.0, FaultKind::Cancelled | FaultKind::NoRuntime);
        let HookError { kind, text } = (*fault.0).into();
        Self { status: kind.into(), text, terminal }
    }
}

/// The future of a run, which owns everything that it needs.
pub(crate) type DetachedRun = BoxFuture<'static, Result<Contributions, RunError>>;

/// Polls the run until the registry shuts down. Dropping the future may panic, so the drop is caught.
pub(crate) async fn until_shutdown(
    shutdown: &CancellationToken,
    mut run: DetachedRun,
) -> Result<Contributions, RunError> {
    match until_cancelled(Some(shutdown), |task| run.as_mut().poll(task)).await {
        Some(outcome) => outcome,
        None => {
            let _ = catch(|| drop(run));
            Err(RunError::cut_off())
        }
    }
}

/// A detached function and its options.
pub(crate) struct Body<K: HookKind> {
    hook: Detached<K, K::Subject, K::Verdict>,
    id: HookId,
    timeout: Option<Duration>,
    blocking: bool,
    /// The part of the context that is only for this hook.
    hook_cx: Option<Arc<PerHook>>,
}

impl<K: HookKind> Body<K> {
    /// Returns `None` for a hook that a dispatch waits for.
    pub(crate) fn of(
        id: &HookId,
        options: &Options,
        handler: &Handler<K>,
        hook_cx: Option<Arc<PerHook>>,
    ) -> Option<Self> {
        let Handler::Detached(hook) = handler else { return None };
        Some(Self {
            hook: hook.clone(),
            id: id.clone(),
            timeout: options.timeout.duration(),
            blocking: options.blocking,
            hook_cx,
        })
    }

    /// Runs the hook. Everything that the run owns is dropped before its end is reported.
    pub(crate) fn run(&self, cx: HookContext, event: Arc<K>, subject: Option<K::Subject>) -> DetachedRun {
        let (hook, id, timeout, blocking) = (self.hook.clone(), self.id.clone(), self.timeout, self.blocking);
        let cx = match &self.hook_cx {
            Some(hook_cx) => cx.bound(hook_cx),
            None => cx,
        };
        let span = hook_span(K::NAME, &id, &cx);
        let run: DetachedRun = Box::pin(async move {
            let answer = if blocking {
                let call = move || at_once(call!(Detached::hook(&cx, &event, subject.as_ref())));
                wait_for(on_pool(call), timeout, None).await
            } else {
                let answer = match catch(|| call!(Detached::hook(&cx, &event, subject.as_ref()))) {
                    Ok(future) => wait_for(future, timeout, None).await,
                    Err(panic) => Err(Fault::panicked(panic)),
                };
                match catch(|| drop((cx, event, subject))) {
                    Ok(()) => answer,
                    Err(panic) => answer.and(Err(Fault::panicked(panic))),
                }
            };
            contributions(answer)
        });
        in_span(span, run)
    }
}

/// What a hook can contribute although no dispatch waits for it.
const LEFT: Capabilities = Capabilities::of(&[Capability::Audit, Capability::BackgroundJob]);

/// The contributions of an answer that no dispatch waited for.
fn contributions<V: Verdict>(answer: Answer<V>) -> Result<Contributions, RunError> {
    let verdict = match answer {
        Ok(verdict) => verdict,
        Err(fault) if matches!(*fault.0, FaultKind::NotSelected) => return Ok(Contributions::default()),
        Err(fault) => return Err(fault.into()),
    };
    // The verdict may be a type of the app, and its code may panic.
    let read = catch(|| match (&verdict as &dyn Any).downcast_ref::<Contributions>() {
        Some(contributions) => match contributions.lacks(LEFT) {
            Some(other) => Err(format!(
                "it contributes `{other}`, but no dispatch waits for it; such a hook can contribute only {LEFT}"
            )),
            None => Ok(contributions.clone()),
        },
        None if verdict.summary().is_some() => Err("it returned a decision, but no dispatch waits for it".to_owned()),
        None => Ok(Contributions::default()),
    });
    read.map_err(|panic| Fault::panicked(panic).into()).and_then(|read| read.map_err(RunError::terminal))
}
