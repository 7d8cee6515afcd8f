//! The future of an async hook as the attribute boxes it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pin_project_lite::pin_project! {
    /// The future of the user's function, and what is made of that which it returns.
    ///
    /// Not an `async` block around it: such a block keeps the future twice, before and while it is awaited, and with it
    /// all that the call was made from.
    #[derive(Debug)]
    #[must_use = "a future does nothing until it is polled"]
    pub struct Answered<F, A> {
        #[pin]
        future: F,
        answer: A,
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> Answered<F, A> {
    /// `answer` puts what the function returned into the form that a dispatch reads.
    #[inline]
    pub fn new(future: F, answer: A) -> Self {
        Self { future, answer }
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> Future for Answered<F, A> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        this.future.poll(task).map(this.answer)
    }
}
