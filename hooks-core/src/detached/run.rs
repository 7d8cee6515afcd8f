//! Runs a hook that no dispatch waits for, with an event, a subject and a context of its own.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::context::{HookContext, PerHook};

use crate::dispatch::FailureCause;
use crate::dispatch::{
    Fail, NoAnswer, at_once, capability_missing, detached_function, finish, hook_span, in_span, on_pool,
    until_cancelled, wait_for,
};
use crate::failure::FailureKind;
use crate::handler::{Answer, BoxFuture, Detached, FaultKind, Handler, call};
use crate::hook::Hook;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::panics::catch;
use crate::record::Status;
use crate::verdict::{Capabilities, Contribution, Contributions, Verdict};

/// The cause of a run that was cancelled.
pub(crate) const CUT_OFF: &str = "it was cancelled because the registry was drained or its runtime ended; await `registry.drain(…)` before the program ends";

const NO_TIMER: &str = "it has a timeout and had to wait, but its Tokio runtime has no timer; call `enable_time` on the runtime's builder, or write `timeout = none`";

/// Why a run produced nothing.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) cause: FailureCause,
    /// A retry would fail the same way.
    pub(crate) terminal: bool,
}

impl Unfinished {
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        let cause = FailureCause { kind: FailureKind::Error, status: Status::Failed, text: text.into() };
        Self { cause, terminal: true }
    }

    fn cut_off() -> Self {
        let cause = FailureCause { kind: FailureKind::Error, status: Status::Cancelled, text: CUT_OFF.to_owned() };
        Self { cause, terminal: true }
    }
}

impl From<Fail> for Unfinished {
    fn from(fail: Fail) -> Self {
        Self { cause: fail.cause(), terminal: false }
    }
}

/// The future of a run, which owns everything that it needs.
pub(crate) type DetachedRun = BoxFuture<'static, Result<Contributions, Unfinished>>;

/// Polls the run until the registry shuts down. Dropping the future may panic, so the drop is caught.
pub(crate) async fn until_shutdown(
    shutdown: &CancellationToken,
    mut run: DetachedRun,
) -> Result<Contributions, Unfinished> {
    match until_cancelled(Some(shutdown), |task| run.as_mut().poll(task)).await {
        Some(outcome) => outcome,
        None => {
            let _ = catch(|| drop(run));
            Err(Unfinished::cut_off())
        }
    }
}

/// A detached function and its options.
pub(crate) struct Body<K: HookKind> {
    hook: Detached<K, K::Subject, K::Verdict>,
    id: HookId,
    timeout: Option<Duration>,
    blocking: bool,
    capabilities: Option<Capabilities>,
    /// The part of the context that is only for this hook.
    own: Option<Arc<PerHook>>,
}

impl<K: HookKind> Body<K> {
    /// Returns `None` for a hook that a dispatch waits for.
    pub(crate) fn of(hook: &Hook, handler: &Handler<K>, own: Option<Arc<PerHook>>) -> Option<Self> {
        let options = &hook.options;
        Some(Self {
            hook: detached_function(handler)?.clone(),
            id: hook.id.clone(),
            timeout: options.timeout.duration(),
            blocking: options.blocking,
            capabilities: options.capabilities,
            own,
        })
    }

    /// Runs the hook. Everything that the run owns is dropped before its end is reported.
    pub(crate) fn run(&self, cx: HookContext, event: Arc<K>, subject: Option<K::Subject>) -> DetachedRun {
        let (hook, id, timeout, blocking) = (self.hook.clone(), self.id.clone(), self.timeout, self.blocking);
        let held = self.capabilities;
        let cx = match &self.own {
            Some(own) => cx.bound(own),
            None => cx,
        };
        let span = hook_span(K::NAME, &id, &cx);
        let run: DetachedRun = Box::pin(async move {
            let answer = if blocking {
                let call = move || at_once(call!(Detached::&hook(&cx, &event, subject.as_ref())));
                wait_for(on_pool(call), timeout, None).await
            } else {
                let answer = match catch(|| call!(Detached::&hook(&cx, &event, subject.as_ref()))) {
                    Ok(future) => finish(future, timeout, None).await,
                    Err(panic) => Err(NoAnswer::Failed(Fail::Panicked(panic))),
                };
                match catch(|| drop((cx, event, subject))) {
                    Ok(()) => answer,
                    Err(panic) => answer.and(Err(NoAnswer::Failed(Fail::Panicked(panic)))),
                }
            };
            finished(&id, held, answer)
        });
        in_span(span, run)
    }
}

/// The end of a run by the answer of its hook, whose capabilities are `held`.
fn finished<V: Verdict>(
    id: &HookId,
    held: Option<Capabilities>,
    answer: Result<Answer<V>, NoAnswer>,
) -> Result<Contributions, Unfinished> {
    match answer {
        Ok(Ok(verdict)) => match catch(|| capability_missing(id, held?, &verdict)) {
            Ok(None) => left(&verdict),
            Ok(Some(fail)) => Err(fail.into()),
            Err(panic) => Err(Fail::Panicked(panic).into()),
        },
        Ok(Err(fault)) if matches!(*fault.0, FaultKind::NotSelected) => Ok(Contributions::default()),
        Ok(Err(fault)) => Err(Fail::Fault(fault).into()),
        Err(NoAnswer::Failed(fail)) => Err(fail.into()),
        Err(NoAnswer::Stopped(_)) => Err(Unfinished::failed(NO_TIMER)),
    }
}

/// The contributions of an answer that no dispatch waited for.
fn left<V: Verdict>(verdict: &V) -> Result<Contributions, Unfinished> {
    // The verdict may be a type of the app, and its code may panic.
    let read = catch(|| match (verdict as &dyn Any).downcast_ref::<Contributions>() {
        Some(contributions) => match contributions.iter().find_map(forbidden) {
            Some(what) => Err(format!(
                "it returned {what}, but no dispatch waits for it; such a hook can return only audit notes and background jobs"
            )),
            None => Ok(contributions.clone()),
        },
        None if verdict.summary().is_some() => Err("it returned a decision, but no dispatch waits for it".to_owned()),
        None => Ok(Contributions::default()),
    });
    match read {
        Ok(read) => read.map_err(Unfinished::failed),
        Err(panic) => Err(Fail::Panicked(panic).into()),
    }
}

fn forbidden(contribution: &Contribution) -> Option<&'static str> {
    match contribution {
        Contribution::Audit(_) | Contribution::BackgroundJob { .. } | Contribution::Noop => None,
        Contribution::Policy { .. } => Some("a policy"),
        Contribution::PromptContext(_) => Some("prompt context"),
        Contribution::PromptSection(_) => Some("a prompt section"),
        Contribution::ToolBundle { .. } => Some("a tool bundle"),
        Contribution::PromptManifestDiagnostic(_) => Some("a diagnostic of the prompt"),
    }
}
