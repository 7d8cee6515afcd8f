//! The pool of threads for plain functions that compute for long.
//!
//! To everything else such a hook is an async one, with a deadline and a fallback like every other. Its thread cannot be
//! stopped: an answer that comes after the deadline is dropped.

use std::future::{Future, ready};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::context::depth;
use crate::handler::{Answer, BoxFuture, Fault};
use crate::panics::catch;

/// Runs `hook` on the pool. Its panic goes on where the answer is waited for, as if it had been called there.
pub(crate) fn on_pool<T: Send + 'static>(
    hook: impl FnOnce() -> Answer<T> + Send + 'static,
) -> BoxFuture<'static, Answer<T>> {
    let Ok(runtime) = Handle::try_current() else {
        let text = "it says `blocking` and runs on a thread of a Tokio runtime, and there is no runtime here";
        return Box::pin(ready(Err(Fault::error(text))));
    };
    // The thread is another one, but the hook is within the same dispatches.
    let kinds = depth::kinds();
    // So does its span.
    let span = tracing::Span::current();
    let run = move || span.in_scope(|| depth::within(&kinds, || catch(hook)));
    let mut task = OnPool(runtime.spawn_blocking(run));
    Box::pin(async move {
        match (&mut task).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panic)) => resume_unwind(Box::new(panic)),
            Err(_) => Err(Fault::error("the Tokio runtime was shut down before its thread began")),
        }
    })
}

/// A call on the pool. Dropped before its thread begins, it never does.
struct OnPool<T>(JoinHandle<T>);

impl<T> Future for OnPool<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(task)
    }
}

impl<T> Drop for OnPool<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The answer of a plain function in the form of a future.
pub(crate) fn at_once<T>(mut answer: BoxFuture<'_, Answer<T>>) -> Answer<T> {
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => Err(Fault::error("it says `blocking`, and waits like an async hook")),
    }
}
