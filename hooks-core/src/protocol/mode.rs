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

/// A set, and the context in which a step fires it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepMode<'a> {
    hooks: &'a HookSet,
    cx: &'a HookContext,
    /// Without a runtime, nothing waits.
    blocking: bool,
}

impl<'a> StepMode<'a> {
    pub(super) fn new(hooks: &'a HookSet, cx: &'a HookContext) -> Self {
        Self { hooks, cx, blocking: false }
    }

    /// The same without a runtime.
    pub(super) fn blocking(self) -> Self {
        Self { blocking: true, ..self }
    }

    pub(super) fn has<K: HookKind>(self) -> bool {
        self.hooks.has::<K>()
    }

    pub(super) async fn dispatch<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<Fired<K>, DispatchError> {
        if self.blocking {
            self.hooks.fire_blocking(self.cx, event, subject)
        } else {
            self.hooks.fire(self.cx, event, subject).await
        }
    }

    /// Fires `event`. A halt is an error.
    pub(super) async fn fire<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<Fired<K>, StepError> {
        let fired = self.dispatch(event, subject).await?;
        match &fired.report.halt {
            Some(halt) => Err(StepErrorKind::Halted(halt.clone()).into()),
            None => Ok(fired),
        }
    }

    /// Whether the turn may continue.
    pub(super) fn go_on(self) -> Result<(), StepError> {
        let cancelled = self.cx.cancellation().is_some_and(CancellationToken::is_cancelled);
        if cancelled { Err(StepErrorKind::Cancelled.into()) } else { Ok(()) }
    }

    /// Waits. `false` if there is no timer. The error is that the turn was cancelled.
    pub(super) async fn sleep(self, wait: Duration) -> Result<bool, StepError> {
        self.go_on()?;
        let slept = if self.blocking {
            std::thread::sleep(wait);
            true
        } else {
            wait.is_zero() || sleep(wait, self.cx.cancellation()).await.is_ok()
        };
        self.go_on()?;
        Ok(slept)
    }

    /// Runs code of the caller. `None` if the turn was cancelled first; without a runtime, nothing interrupts it.
    pub(super) async fn run_until<F: Future>(self, run: F) -> Option<F::Output> {
        let Some(token) = self.cx.cancellation().filter(|_| !self.blocking) else { return Some(run.await) };
        let mut run = pin!(run);
        until_cancelled(Some(token), |task| run.as_mut().poll(task)).await
    }
}

/// The result of the future of a blocking step, which never waits.
#[inline]
pub(super) fn at_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("a step without a runtime has nothing to wait for"),
    }
}
