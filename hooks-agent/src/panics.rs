//! Panics in code of the app.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use hook_sdk::hook::BoxFuture;

/// What a panic carries.
pub(crate) type Panic = Box<dyn Any + Send>;

/// A future of the app that does not pass on its panics: neither one while it is polled nor one while it is dropped, for
/// example at a deadline.
pub(crate) struct Contained<'a, T>(Option<BoxFuture<'a, T>>);

/// Contains the panics of `future`. A call may panic before it returns a future, so it belongs into an async block.
pub(crate) fn contained<'a, T>(future: impl Future<Output = T> + Send + 'a) -> Contained<'a, T> {
    Contained(Some(Box::pin(future)))
}

impl<T> Future for Contained<'_, T> {
    type Output = Result<T, Panic>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(panic) => {
                // It is not polled again.
                discard(self.0.take());
                Poll::Ready(Err(panic))
            }
        }
    }
}

impl<T> Drop for Contained<'_, T> {
    fn drop(&mut self) {
        discard(self.0.take());
    }
}

/// Drops a value of the app. A panic of its destructor ends here.
fn discard<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        let panic = message(panic);
        tracing::error!(target: "hooks_agent", panic, "code of the app panicked while it was dropped");
    }
}

/// The message of a panic. Its payload is a value of the app, so dropping it can panic too.
pub(crate) fn message(panic: Panic) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(second);
    }
    text.unwrap_or_else(|| "no message".to_owned())
}
