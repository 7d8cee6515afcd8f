//! The question of a gate, and its answer.

use std::future::{Future, Ready, ready};
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::mode::{Async, Blocking};
use crate::data::{ToolCall, ToolInput, ToolResult};
use crate::verdict::Question;

/// A question of a gate about a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolQuestion {
    /// The call as the model made it.
    pub call: ToolCall,
    /// The input that the tool would get.
    pub input: ToolInput,
    /// What the gate asks.
    pub question: Question,
    /// Whether the gate deferred the call (*defer*) instead of asking (*ask*).
    pub deferred: bool,
}

/// The answer to a [`ToolQuestion`]. A `bool` converts to a yes or a no.
#[must_use = "an answer has no effect unless the approver returns it"]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "with", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Approval {
    /// The call runs.
    Yes,
    /// The call is denied, for this reason.
    No(String),
    /// The call runs with this input, after the gates have judged the new input.
    Edited(ToolInput),
    /// The call does not run. The model gets this result.
    Result(ToolResult),
    /// Nobody can answer yet. The turn ends, and the call stays open.
    Suspend,
}

impl From<bool> for Approval {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No("The person said no".to_owned()) }
    }
}

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
