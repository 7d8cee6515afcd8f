//! Waits for a hook: with a timeout, until the turn is cancelled, and without unwinding into the harness.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop::Unconstrained;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use crate::handler::{Answer, BoxFuture, Fault, FaultKind};
use crate::panics::catch;
use crate::text::redacted;

/// A future that may have to wait, with its timer.
pub(super) struct Waiting<'a, T> {
    future: Option<BoxFuture<'a, Answer<T>>>,
    timeout: Option<Duration>,
    timer: Option<Pin<Box<Unconstrained<Sleep>>>>,
}

impl<'a, T> Waiting<'a, T> {
    pub(super) fn new(future: BoxFuture<'a, Answer<T>>, timeout: Option<Duration>) -> Self {
        Self { future: Some(future), timeout, timer: None }
    }

    /// Takes over a future that was polled and has to wait, and starts its timer. Only now, because most hooks never wait.
    pub(super) fn started(future: BoxFuture<'a, Answer<T>>, timeout: Option<Duration>) -> Result<Self, Fault> {
        let mut waiting = Self::new(future, timeout);
        waiting.start_timer()?;
        Ok(waiting)
    }

    fn start_timer(&mut self) -> Result<(), Fault> {
        if let (Some(timeout), None) = (self.timeout, &self.timer) {
            tokio::runtime::Handle::try_current().map_err(|_| no_runtime())?;
            // `sleep` panics on a runtime without a timer.
            let sleep = catch(|| tokio::time::sleep(timeout)).map_err(|_| no_runtime())?;
            // A hook that uses up the task's budget must not starve the timer that limits it.
            self.timer = Some(Box::pin(tokio::task::unconstrained(sleep)));
        }
        Ok(())
    }

    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Answer<T>> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        match catch(|| future.as_mut().poll(task)) {
            Ok(Poll::Ready(answer)) => {
                // Dropping the future may panic, which counts as the hook's failure.
                Poll::Ready(self.drop_future().map_or(answer, |panic| Err(Fault::panicked(panic))))
            }
            Err(panic) => {
                self.drop_future();
                Poll::Ready(Err(Fault::panicked(panic)))
            }
            Ok(Poll::Pending) => match self.poll_timer(task) {
                Ok(()) => Poll::Pending,
                Err(ended) => {
                    self.drop_future();
                    Poll::Ready(Err(ended))
                }
            },
        }
    }

    /// The error is that the time is up, or that there is no timer.
    fn poll_timer(&mut self, task: &mut Context<'_>) -> Result<(), Fault> {
        self.start_timer()?;
        let (Some(timer), Some(timeout)) = (&mut self.timer, self.timeout) else { return Ok(()) };
        // A timer panics if its runtime ended while the dispatch continues elsewhere.
        match catch(|| timer.as_mut().poll(task)) {
            Ok(Poll::Pending) => Ok(()),
            Ok(Poll::Ready(())) => Err(Fault::timed_out(timeout)),
            Err(_) => Err(no_runtime()),
        }
    }

    /// Waits for the answer, unless the turn is cancelled first.
    pub(super) async fn answer(mut self, cancellation: Option<&CancellationToken>) -> Answer<T> {
        until_cancelled(cancellation, |task| self.poll(task)).await.unwrap_or_else(|| Err(cancelled()))
    }

    /// Whether the answer is still pending.
    pub(super) fn is_waiting(&self) -> bool {
        self.future.is_some()
    }

    /// Drops the future and returns the message of a panic.
    fn drop_future(&mut self) -> Option<String> {
        let future = self.future.take()?;
        catch(|| drop(future)).err()
    }
}

impl<T> Drop for Waiting<'_, T> {
    fn drop(&mut self) {
        if let Some(panic) = self.drop_future() {
            tracing::warn!(target: "hook_sdk", panic = redacted(&panic), "a hook panicked while it was dropped");
        }
    }
}

/// Waits for one hook. Its timer starts only if it is not ready at once.
pub(crate) async fn wait_for<T>(
    future: BoxFuture<'_, Answer<T>>,
    timeout: Option<Duration>,
    cancellation: Option<&CancellationToken>,
) -> Answer<T> {
    Waiting::new(future, timeout).answer(cancellation).await
}

/// Waits until `wait` is over. The error is that the turn was cancelled first, or that there is no runtime with a timer.
pub(crate) async fn sleep(wait: Duration, cancellation: Option<&CancellationToken>) -> Result<(), Fault> {
    let never = Box::pin(std::future::pending::<Answer<()>>());
    match wait_for(never, Some(wait), cancellation).await {
        Err(fault) if !matches!(*fault.0, FaultKind::Cancelled | FaultKind::NoRuntime) => Ok(()),
        ended => ended.map(drop),
    }
}

/// Polls until ready; `None` if the token was cancelled first.
pub(crate) async fn until_cancelled<T>(
    cancellation: Option<&CancellationToken>,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let Some(token) = cancellation else { return Some(poll_fn(poll).await) };
    let mut cancelled = pin!(token.cancelled());
    poll_fn(|task| {
        if let Poll::Ready(done) = poll(task) {
            return Poll::Ready(Some(done));
        }
        cancelled.as_mut().poll(task).map(|()| None)
    })
    .await
}

/// The turn was cancelled while a hook was waiting.
pub(super) fn cancelled() -> Fault {
    Fault(Box::new(FaultKind::Cancelled))
}

fn no_runtime() -> Fault {
    Fault(Box::new(FaultKind::NoRuntime))
}
