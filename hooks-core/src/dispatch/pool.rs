//! Runs `blocking` plain functions on a thread pool.
//!
//! Everywhere else such a hook is treated as an async one, with a timeout and a fallback. Its thread cannot be stopped,
//! so an answer after the timeout is dropped.

use std::any::Any;
use std::future::ready;
use std::panic::resume_unwind;
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
    let mut task = spawn(&runtime, Box::new(|| Box::new(hook())));
    Box::pin(async move {
        match (&mut task.0).await {
            Ok(Ok(answer)) => match answer.downcast() {
                Ok(answer) => *answer,
                // Unreachable: this is what the closure returned.
                Err(_) => Err(Fault::error("its answer has another type")),
            },
            Ok(Err(panic)) => resume_unwind(Box::new(panic)),
            Err(_) => Err(Fault::error("the Tokio runtime was shut down before the hook was started")),
        }
    })
}

/// A hook and its answer without their types. A task of Tokio is a lot of code, which is compiled once this way, and not
/// three times for each kind.
type BoxedHook = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;

fn spawn(runtime: &Handle, hook: BoxedHook) -> OnPool {
    // On the other thread, the hook still counts as nested in the same dispatches.
    let kinds = depth::kinds();
    // The hook also keeps its span.
    let span = tracing::Span::current();
    OnPool(runtime.spawn_blocking(move || span.in_scope(|| depth::within(&kinds, || catch(hook)))))
}

/// A call on the pool. If it is dropped before its thread starts, the hook never runs.
struct OnPool(JoinHandle<Result<Box<dyn Any + Send>, String>>);

impl Drop for OnPool {
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
