//! The boxed future of an async hook of the attribute.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pin_project_lite::pin_project! {
    /// The future of the user's function, with a conversion of its output.
    ///
    /// This is not an `async` block, because such a block stores the future twice, before and while it is awaited,
    /// along with everything that the call was made from.
    #[derive(Debug)]
    #[must_use = "a future does nothing until it is polled"]
    pub struct AnswerFuture<F, A> {
        #[pin]
        future: F,
        answer: A,
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> AnswerFuture<F, A> {
    /// `answer` converts the function's output into an answer for the dispatch.
    #[inline]
    pub fn new(future: F, answer: A) -> Self {
        Self { future, answer }
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> Future for AnswerFuture<F, A> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        this.future.poll(task).map(this.answer)
    }
}
