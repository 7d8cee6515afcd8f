use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::depth;

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
