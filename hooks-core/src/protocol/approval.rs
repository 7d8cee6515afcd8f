//! The question of a gate, and its answer.

use serde::{Deserialize, Serialize};

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
    /// The conversation in which a step asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) conversation: Option<String>,
    /// The input of an earlier answer, about which the gates ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edited: Option<ToolInput>,
}

impl ToolQuestion {
    /// Creates a question about a call that would run with `input`.
    pub fn new(call: ToolCall, input: ToolInput, question: Question, deferred: bool) -> Self {
        Self { call, input, question, deferred, conversation: None, edited: None }
    }

    /// Everything that gates ask, and whether each question is deferred.
    pub(super) fn questions(&self) -> Vec<(Question, bool)> {
        self.question.clone().into_all(self.deferred)
    }
}

/// The answer to a [`ToolQuestion`]. A `bool` converts to a yes or a no.
///
/// There are exactly five, so a `match` needs no `_` arm, which could run a call that nobody approved.
#[must_use = "an answer has no effect unless the approver returns it"]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "with", rename_all = "snake_case")]
pub enum Approval {
    /// The call runs.
    Yes,
    /// The call is denied, for this reason.
    No(String),
    /// The call runs with this input, after the gates have judged the new input. If they change it, the question is asked
    /// again.
    Edited(ToolInput),
    /// The call does not run. The model gets this result.
    // A variant `Result` makes rustc write `std::result::Result` in all its messages.
    #[serde(rename = "result")]
    Answer(ToolResult),
    /// Nobody can answer yet. The turn ends, and the call stays open until a later turn takes it up.
    Suspend,
}

impl From<bool> for Approval {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No("The person said no".to_owned()) }
    }
}
