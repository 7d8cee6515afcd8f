//! What answers the questions of a step.

use std::future::{Future, Ready, ready};
use std::marker::PhantomData;

use super::approval::{Approval, ToolQuestion};
use super::mode::{Async, Blocking};

/// Answers the questions of gates in a step: [`Nobody`], or the closure that was passed to `ask`.
pub trait Approver {
    /// The answer, which may have to be waited for.
    type Answer: Future<Output: Into<Approval>>;

    /// Answers a question.
    fn answer(&mut self, question: ToolQuestion) -> Self::Answer;
}

/// Denies every request, because there is nobody to ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    type Answer = Ready<Approval>;

    fn answer(&mut self, _: ToolQuestion) -> Self::Answer {
        ready(Approval::No("There is nobody to ask".to_owned()))
    }
}

/// A closure that answers the questions of a step. `M` is the mode of the step.
#[derive(Debug)]
pub struct ApprovalClosure<M, F> {
    pub(super) mode: PhantomData<M>,
    pub(super) ask: F,
}

impl<R: Future<Output: Into<Approval>>, F: FnMut(ToolQuestion) -> R> Approver for ApprovalClosure<Async<'_>, F> {
    type Answer = R;

    fn answer(&mut self, question: ToolQuestion) -> R {
        (self.ask)(question)
    }
}

impl<T: Into<Approval>, F: FnMut(ToolQuestion) -> T> Approver for ApprovalClosure<Blocking<'_>, F> {
    type Answer = Ready<T>;

    fn answer(&mut self, question: ToolQuestion) -> Ready<T> {
        ready((self.ask)(question))
    }
}
