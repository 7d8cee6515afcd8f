//! What is done in one poll.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::context::depth;

pin_project_lite::pin_project! {
    /// A future that may be done before it is first polled: a kind that nobody hooks is not worth a state machine.
    #[project = Projected]
    pub(super) enum AtOnce<T, F> {
        Done { value: Option<T> },
        Running { kind: &'static str, #[pin] future: F },
    }
}

impl<T, F: Future<Output = T>> Future for AtOnce<T, F> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        match self.project() {
            // Polled again after it was done, it never ends, as a future that misuses it deserves.
            Projected::Done { value } => value.take().map_or(Poll::Pending, Poll::Ready),
            Projected::Running { kind, future } => {
                let _within = depth::enter(kind);
                future.poll(task)
            }
        }
    }
}

/// Runs `run` when it is first polled; what it gives may borrow what it holds.
#[inline]
pub(super) fn with_task<T, F: FnOnce(&mut Context<'_>) -> T + Unpin>(run: F) -> WithTask<F> {
    WithTask(Some(run))
}

/// See [`with_task`].
pub(super) struct WithTask<F>(Option<F>);

impl<T, F: FnOnce(&mut Context<'_>) -> T + Unpin> Future for WithTask<F> {
    type Output = T;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        self.0.take().map_or(Poll::Pending, |run| Poll::Ready(run(task)))
    }
}
