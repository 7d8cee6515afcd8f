//! Futures that usually complete in one poll.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::context::depth;

pin_project_lite::pin_project! {
    /// A future that may be complete before its first poll. A kind without hooks then needs no state machine, and its
    /// outcome no room for an error.
    #[project = Projected]
    pub(super) enum AtOnce<T, F> {
        Done { value: Option<T> },
        Running { kind: &'static str, #[pin] future: F },
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Future for AtOnce<T, F> {
    type Output = Result<T, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Result<T, E>> {
        match self.project() {
            // Polling it again after completion returns `Pending` forever.
            Projected::Done { value } => value.take().map_or(Poll::Pending, |value| Poll::Ready(Ok(value))),
            Projected::Running { kind, future } => {
                let _within = depth::enter(kind);
                future.poll(task)
            }
        }
    }
}

/// Runs `run` on the first poll and returns its result, which may borrow from what `run` captures.
#[inline]
pub(super) fn with_task<T, F: FnOnce(&mut Context<'_>) -> T + Unpin>(run: F) -> WithTask<F> {
    WithTask(Some(run))
}

/// The future that [`with_task`] returns.
pub(super) struct WithTask<F>(Option<F>);

impl<T, F: FnOnce(&mut Context<'_>) -> T + Unpin> Future for WithTask<F> {
    type Output = T;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        self.0.take().map_or(Poll::Pending, |run| Poll::Ready(run(task)))
    }
}
