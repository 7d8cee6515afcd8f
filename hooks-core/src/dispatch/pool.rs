//! Runs `blocking` plain functions on a thread pool.
//!
//! Everywhere else such a hook is treated as an async one, with a timeout and a fallback. Its thread cannot be stopped,
//! so an answer after the timeout is dropped.

use std::future::{Future, ready};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::context::depth;
use crate::handler::{Answer, BoxFuture, Fault};
use crate::panics::catch;

/// Runs `hook` on the pool. A panic resumes where the answer is awaited, as if the hook had been called there.
pub(crate) fn on_pool<T: Send + 'static>(
    hook: impl FnOnce() -> Answer<T> + Send + 'static,
) -> BoxFuture<'static, Answer<T>> {
    let Ok(runtime) = Handle::try_current() else {
        let text = "it is `blocking` and needs a thread of a Tokio runtime, but no runtime is running here";
        return Box::pin(ready(Err(Fault::error(text))));
    };
    // On the other thread, the hook still counts as nested in the same dispatches.
    let kinds = depth::kinds();
    // The hook also keeps its span.
    let span = tracing::Span::current();
    let run = move || span.in_scope(|| depth::within(&kinds, || catch(hook)));
    let mut task = OnPool(runtime.spawn_blocking(run));
    Box::pin(async move {
        match (&mut task).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panic)) => resume_unwind(Box::new(panic)),
            Err(_) => Err(Fault::error("the Tokio runtime was shut down before the hook was started")),
        }
    })
}

/// A call on the pool. If it is dropped before its thread starts, the hook never runs.
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

/// Takes the answer of a plain function that has the form of a future.
pub(crate) fn at_once<T>(mut answer: BoxFuture<'_, Answer<T>>) -> Answer<T> {
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => Err(Fault::error("it is `blocking`, but waits like an async hook")),
    }
}
