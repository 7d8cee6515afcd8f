//! A step that ends the turn.

use std::error::Error;
use std::fmt;

use super::approval::ToolQuestion;
use crate::data::{Message, Messages, ToolCall, ToolResult};
use crate::dispatch::DispatchError;
use crate::signature::BoxError;
use crate::tables::debug_as_display;
use crate::verdict::{Denial, Halt};

/// A step ended the turn. `Display` is a text for the person.
///
/// Before the turn ends, store what [`close_calls`](Self::close_calls) returns: providers refuse a conversation in
/// which a call has no result.
pub struct StepError(Box<Parts>);

// Behind a pointer, because the futures of steps keep and move it.
struct Parts {
    kind: StepErrorKind,
    /// The tool call that this step made, and its result.
    result: Option<(ToolCall, ToolResult)>,
}

/// Why a step ended the turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepErrorKind {
    /// A hook ended the turn.
    #[error(transparent)]
    Halted(Halt),
    /// A hook blocked the prompt or the answer.
    #[error("blocked: {}", .0.reason)]
    Blocked(Denial),
    /// A required hook failed, or a dispatch was not possible.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// A closure of the caller failed: the model, or the store.
    #[error("{0}")]
    Caller(BoxError),
    /// The approver cannot answer now. The call stays open, so [`StepError::close_calls`] returns nothing.
    #[error("waiting for an answer: {}", .0.question.reason)]
    Suspended(Box<ToolQuestion>),
    /// The token of the context was cancelled.
    #[error("the turn was cancelled")]
    Cancelled,
}

impl StepError {
    /// Why the step ended the turn.
    pub fn kind(&self) -> &StepErrorKind {
        &self.0.kind
    }

    /// The result of the tool call that this step made; `None` if it was no tool call, or if the call waits for an
    /// answer.
    pub fn result(&self) -> Option<&ToolResult> {
        self.0.result.as_ref().map(|result| &result.1)
    }

    /// The results of all calls in `messages` that have none: the true one for the call of this step, and an error for
    /// the others, which says no cause of a failure. Empty if a call waits for an answer.
    pub fn close_calls(&self, messages: &Messages) -> Vec<Message> {
        if matches!(self.0.kind, StepErrorKind::Suspended(_)) {
            return Vec::new();
        }
        // The model reads the rows and the store keeps them. The cause of a failure may quote what had to be masked.
        let why = match &self.0.kind {
            StepErrorKind::Dispatch(_) => "a required hook failed".to_owned(),
            StepErrorKind::Caller(_) => "something failed".to_owned(),
            kind => kind.to_string(),
        };
        let result = |call: &ToolCall| match &self.0.result {
            // A sub-agent has ids of its own, which may be the same.
            Some((made, result)) if (&made.id, &made.name) == (&call.id, &call.name) => result.clone(),
            _ => ToolResult::error(format!("No result, the turn ended: {why}")),
        };
        messages.open_calls().flat_map(|call| result(call).into_messages(call)).collect()
    }

    pub(super) fn with_result(mut self, call: &ToolCall, result: ToolResult) -> Self {
        self.0.result = Some((call.clone(), result));
        self
    }
}

impl From<DispatchError> for StepError {
    fn from(error: DispatchError) -> Self {
        match error {
            DispatchError::Cancelled { .. } => StepErrorKind::Cancelled.into(),
            error => StepErrorKind::from(error).into(),
        }
    }
}

impl From<StepErrorKind> for StepError {
    fn from(kind: StepErrorKind) -> Self {
        Self(Box::new(Parts { kind, result: None }))
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}

debug_as_display!(StepError);

impl Error for StepError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.kind.source()
    }
}
