//! How a step fires its kinds: on a runtime, or at once.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::{StepError, StepErrorKind};
use crate::context::HookContext;
use crate::dispatch::{DispatchError, Fired, sleep, until_cancelled};
use crate::kind::HookKind;
use crate::plan::HookSet;

/// A set and the context in which a step fires it.
#[derive(Clone, Copy, Debug)]
pub struct Async<'a> {
    hooks: &'a HookSet,
    cx: &'a HookContext,
}

/// Like [`Async`], without a runtime.
#[derive(Clone, Copy, Debug)]
pub struct Blocking<'a>(Async<'a>);

impl<'a> Async<'a> {
    pub(super) fn new(hooks: &'a HookSet, cx: &'a HookContext) -> Self {
        Self { hooks, cx }
    }
}

impl<'a> Blocking<'a> {
    pub(super) fn new(hooks: &'a HookSet, cx: &'a HookContext) -> Self {
        Self(Async { hooks, cx })
    }
}

/// How a step fires its kinds: [`Async`] or [`Blocking`].
// The futures are declared as `Send`: the compiler cannot infer it through a generic step.
pub trait StepMode: Sync {
    fn hooks(&self) -> &HookSet;

    fn cx(&self) -> &HookContext;

    /// The token that drops what the caller runs.
    fn cancellation(&self) -> Option<&CancellationToken>;

    fn dispatch<K: HookKind>(
        &self,
        event: &K,
        subject: K::Subject,
    ) -> impl Future<Output = Result<Fired<K>, DispatchError>> + Send;

    /// Waits. `false` if there is no timer. The error is that the turn was cancelled.
    fn sleep(&self, wait: Duration) -> impl Future<Output = Result<bool, StepError>> + Send;

    /// Whether the turn may continue.
    fn go_on(&self) -> Result<(), StepError> {
        let cancelled = self.cx().cancellation().is_some_and(CancellationToken::is_cancelled);
        if cancelled { Err(StepErrorKind::Cancelled.into()) } else { Ok(()) }
    }

    /// Fires `event`. A halt is an error.
    fn fire<K: HookKind>(
        &self,
        event: &K,
        subject: K::Subject,
    ) -> impl Future<Output = Result<Fired<K>, StepError>> + Send {
        async {
            let fired = self.dispatch(event, subject).await?;
            match &fired.report.halt {
                Some(halt) => Err(StepErrorKind::Halted(halt.clone()).into()),
                None => Ok(fired),
            }
        }
    }

    fn has<K: HookKind>(&self) -> bool {
        self.hooks().has::<K>()
    }
}

impl StepMode for Async<'_> {
    fn hooks(&self) -> &HookSet {
        self.hooks
    }

    fn cx(&self) -> &HookContext {
        self.cx
    }

    fn cancellation(&self) -> Option<&CancellationToken> {
        self.cx.cancellation()
    }

    async fn dispatch<K: HookKind>(&self, event: &K, subject: K::Subject) -> Result<Fired<K>, DispatchError> {
        self.hooks.fire(self.cx, event, subject).await
    }

    async fn sleep(&self, wait: Duration) -> Result<bool, StepError> {
        let slept = if wait.is_zero() { Ok(()) } else { sleep(wait, self.cancellation()).await };
        self.go_on()?;
        Ok(slept.is_ok())
    }
}

impl StepMode for Blocking<'_> {
    fn hooks(&self) -> &HookSet {
        self.0.hooks
    }

    fn cx(&self) -> &HookContext {
        self.0.cx
    }

    fn cancellation(&self) -> Option<&CancellationToken> {
        None
    }

    async fn dispatch<K: HookKind>(&self, event: &K, subject: K::Subject) -> Result<Fired<K>, DispatchError> {
        self.0.hooks.fire_blocking(self.0.cx, event, subject)
    }

    async fn sleep(&self, wait: Duration) -> Result<bool, StepError> {
        self.go_on()?;
        std::thread::sleep(wait);
        self.go_on()?;
        Ok(true)
    }
}

/// Runs code of the caller. `None` if the turn was cancelled first.
pub(super) async fn run_until<F: Future>(cancellation: Option<&CancellationToken>, run: F) -> Option<F::Output> {
    let Some(token) = cancellation else { return Some(run.await) };
    let mut run = pin!(run);
    until_cancelled(Some(token), |task| run.as_mut().poll(task)).await
}

/// The result of a future that never waits, as those of [`Blocking`].
#[inline]
pub(super) fn at_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("a step without a runtime has nothing to wait for"),
    }
}
