//! A hook's future that cannot unwind into the harness, whatever is done with it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop::Unconstrained;
use tokio::time::Sleep;

use crate::hook::BoxFuture;
use crate::panics::catch;

use super::tally::Fail;

/// A future that was polled once and had to wait.
pub(super) struct Guarded<'a, T> {
    future: Option<BoxFuture<'a, T>>,
    deadline: Option<(Pin<Box<Unconstrained<Sleep>>>, Duration)>,
}

/// There is no runtime with timers here.
#[derive(Debug)]
pub(super) struct NoTimer;

impl<'a, T> Guarded<'a, T> {
    /// Takes over a future that is waiting. The clock is set only now: most hooks never wait.
    pub(super) fn waiting(future: BoxFuture<'a, T>, timeout: Option<Duration>) -> Result<Self, NoTimer> {
        let mut guarded = Self { future: Some(future), deadline: None };
        if let Some(timeout) = timeout {
            tokio::runtime::Handle::try_current().map_err(|_| NoTimer)?;
            // A runtime without time makes `sleep` panic.
            let sleep = catch(|| tokio::time::sleep(timeout)).map_err(|_| NoTimer)?;
            // A hook that eats the whole budget of its task must not starve the timer that is to stop it.
            let sleep = Box::pin(tokio::task::unconstrained(sleep));
            guarded.deadline = Some((sleep, timeout));
        }
        Ok(guarded)
    }

    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Result<T, Fail>> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        match catch(|| future.as_mut().poll(task)) {
            Ok(Poll::Ready(answer)) => {
                // What the future still holds may panic when it is dropped; the hook has failed then.
                Poll::Ready(self.drop_future().map_or(Ok(answer), |panic| Err(Fail::Panicked(panic))))
            }
            Err(panic) => {
                self.drop_future();
                Poll::Ready(Err(Fail::Panicked(panic)))
            }
            Ok(Poll::Pending) => {
                let Some((sleep, timeout)) = &mut self.deadline else { return Poll::Pending };
                let timeout = *timeout;
                std::task::ready!(sleep.as_mut().poll(task));
                self.drop_future();
                Poll::Ready(Err(Fail::TimedOut(timeout)))
            }
        }
    }

    /// Whether the answer is still to come.
    pub(super) fn is_waiting(&self) -> bool {
        self.future.is_some()
    }

    /// Drops the future; gives the text of a panic.
    fn drop_future(&mut self) -> Option<String> {
        let future = self.future.take()?;
        catch(|| drop(future)).err()
    }
}

impl<T> Drop for Guarded<'_, T> {
    fn drop(&mut self) {
        if let Some(panic) = self.drop_future() {
            tracing::warn!(target: "hooks_core", panic, "a hook panicked while it was dropped");
        }
    }
}
