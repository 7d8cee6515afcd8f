//! A step of a turn between two callbacks of rig.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use hook_sdk::protocol::StepError;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A step whose work rig does: its closure hands out an input, and waits for the output.
pub(crate) struct Parked<I, O, T> {
    step: Pin<Box<dyn Future<Output = Result<T, StepError>> + Send>>,
    inputs: UnboundedReceiver<I>,
    outputs: UnboundedSender<O>,
}

/// What a step does next.
pub(crate) enum Next<I, T> {
    /// It wants this done.
    Work(I),
    /// It is over.
    End(Result<T, StepError>),
}

/// The side of a step that asks for the work.
pub(crate) struct Worker<I, O> {
    inputs: UnboundedSender<I>,
    outputs: Mutex<UnboundedReceiver<O>>,
}

impl<I, O> Worker<I, O> {
    /// Hands out an input. `None` if nobody does the work any more.
    pub(crate) async fn work(&self, input: I) -> Option<O> {
        self.inputs.send(input).ok()?;
        self.outputs.lock().await.recv().await
    }
}

impl<I, O, T> Parked<I, O, T> {
    pub(crate) fn new<F>(step: impl FnOnce(Worker<I, O>) -> F) -> Self
    where
        F: Future<Output = Result<T, StepError>> + Send + 'static,
    {
        let (to_rig, inputs) = unbounded_channel();
        let (outputs, from_rig) = unbounded_channel();
        Self { step: Box::pin(step(Worker { inputs: to_rig, outputs: Mutex::new(from_rig) })), inputs, outputs }
    }

    /// Goes on until the step wants work done or is over.
    pub(crate) async fn next(&mut self) -> Next<I, T> {
        poll_fn(|cx| match (self.step.as_mut().poll(cx), self.inputs.poll_recv(cx)) {
            (Poll::Ready(end), _) => Poll::Ready(Next::End(end)),
            (Poll::Pending, Poll::Ready(Some(input))) => Poll::Ready(Next::Work(input)),
            (Poll::Pending, _) => Poll::Pending,
        })
        .await
    }

    /// Goes on with the output of the work.
    pub(crate) async fn resume(&mut self, output: O) -> Next<I, T> {
        // A step that does not wait for it is over, which `next` returns.
        let _ = self.outputs.send(output);
        self.next().await
    }
}
