//! How a step fires its kinds: on a runtime, or at once.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::approval::ToolQuestion;
use super::decision::CallQuestion;
use super::error::{StepError, StepErrorKind};
use crate::context::HookContext;
use crate::dispatch::{DispatchError, Fired, sleep, until_cancelled};
use crate::kind::HookKind;
use crate::plan::HookSet;

/// A set, and the context in which a step fires it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepMode<'a, W = OnRuntime> {
    hooks: &'a HookSet,
    cx: &'a HookContext,
    waits: PhantomData<W>,
}

/// How a step waits. It is a type, because the future of a step that does not wait has no room for those that do.
pub(super) trait Waits: Copy {
    fn dispatch<K: HookKind>(
        hooks: &HookSet,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> impl Future<Output = Result<Fired<K>, DispatchError>>;

    /// Whether it cannot wait for a hook.
    const BLOCKS: bool;

    /// `false` if there is no timer.
    fn sleep(cx: &HookContext, wait: Duration) -> impl Future<Output = bool>;
}

/// The step waits as futures do.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnRuntime;

/// The step blocks its thread, and nothing interrupts it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocking;

impl Waits for OnRuntime {
    const BLOCKS: bool = false;

    async fn dispatch<K: HookKind>(
        hooks: &HookSet,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        hooks.fire(cx, event, subject).await
    }

    async fn sleep(cx: &HookContext, wait: Duration) -> bool {
        wait.is_zero() || sleep(wait, cx.cancellation()).await.is_ok()
    }
}

impl Waits for Blocking {
    const BLOCKS: bool = true;

    async fn dispatch<K: HookKind>(
        hooks: &HookSet,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        hooks.fire_blocking(cx, event, subject)
    }

    async fn sleep(_: &HookContext, wait: Duration) -> bool {
        std::thread::sleep(wait);
        true
    }
}

impl<'a> StepMode<'a> {
    pub(super) fn new(hooks: &'a HookSet, cx: &'a HookContext) -> Self {
        Self { hooks, cx, waits: PhantomData }
    }

    /// The same without a runtime.
    pub(super) fn blocking(self) -> StepMode<'a, Blocking> {
        StepMode { hooks: self.hooks, cx: self.cx, waits: PhantomData }
    }
}

impl<'a, W: Waits> StepMode<'a, W> {
    pub(super) fn has<K: HookKind>(self) -> bool {
        self.hooks.has::<K>()
    }

    /// Fails before the step has done anything that `K` follows, if that could not be fired then.
    pub(super) fn can_fire<K: HookKind>(self) -> Result<(), StepError> {
        if W::BLOCKS { Ok(self.hooks.can_fire_blocking::<K>()?) } else { Ok(()) }
    }

    pub(super) async fn dispatch<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<Fired<K>, DispatchError> {
        W::dispatch(self.hooks, self.cx, event, subject).await
    }

    /// Fires `event`. A halt is an error.
    pub(super) async fn fire<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<Fired<K>, StepError> {
        let fired = self.dispatch(event, subject).await?;
        match &fired.report.halt {
            Some(halt) => Err(StepErrorKind::Halted(halt.clone()).into()),
            None => Ok(fired),
        }
    }

    pub(super) fn conversation(self) -> Option<&'a str> {
        self.cx.conversation()
    }

    /// The question of a call, for an approver who may answer it elsewhere.
    pub(super) fn asked(self, call: &CallQuestion) -> ToolQuestion {
        ToolQuestion { conversation: self.conversation().map(str::to_owned), ..call.question().clone() }
    }

    /// Whether the turn may continue.
    pub(super) fn go_on(self) -> Result<(), StepError> {
        let cancelled = self.cx.cancellation().is_some_and(CancellationToken::is_cancelled);
        if cancelled { Err(StepErrorKind::Cancelled.into()) } else { Ok(()) }
    }

    /// Waits. `false` if there is no timer. The error is that the turn was cancelled.
    pub(super) async fn sleep(self, wait: Duration) -> Result<bool, StepError> {
        self.go_on()?;
        let slept = W::sleep(self.cx, wait).await;
        self.go_on()?;
        Ok(slept)
    }

    /// Runs code of the caller. `None` if the turn was cancelled first.
    pub(super) async fn run_until<F: Future>(self, run: F) -> Option<F::Output> {
        let Some(token) = self.cx.cancellation() else { return Some(run.await) };
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
