//! What a turn took from outside of its hooks, for who writes it down and runs the turn again.

use hooks_core::data::{Message, Messages, ToolResult, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approve::{ApprovalAnswer, ApprovalRequest};
use crate::limits::Limits;
use crate::model::{ModelAnswer, ModelError};
use crate::tool::ToolSpec;

/// All that a turn took from outside of its hooks, before any hook saw it. From this the turn can be run again, with other
/// hooks, and without a model or a tool: see [`HarnessBuilder::on_inputs`](crate::HarnessBuilder::on_inputs).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TurnInputs {
    /// The conversation before the turn.
    pub stored: Messages,
    /// The person's message; `None` where a turn that was suspended went on.
    pub prompt: Option<Message>,
    /// What started it, in a word.
    pub trigger: String,
    /// Whether the person did not see the prompt.
    pub hidden: bool,
    /// The agents whose gates held for it too, from the first that asked on.
    pub gated_by: Vec<AskerInput>,
    /// Of the calls that a suspended turn goes on with, those that wait.
    pub waiting: WaitingInput,
    /// The session's system prompt.
    pub system_prompt: String,
    /// Where the person was.
    pub channel: String,
    /// The profiles of the harness, the default first.
    pub profiles: Vec<String>,
    /// The session's profile, where it has one of its own.
    pub profile: Option<String>,
    /// How far it could go.
    pub limits: Limits,
    /// The tools and agents that the model could be offered.
    pub tools: Vec<ToolSpec>,
    /// The tools that only hooks can have it offered.
    pub bundled: Vec<ToolSpec>,
    /// What the calls of models came to, in their order.
    pub answers: Vec<AnswerInput>,
    /// What the calls of tools and agents came to.
    pub results: Vec<ResultInput>,
    /// What was said about calls that a gate asked about, in the order of the questions; `None` where nobody answered in
    /// time.
    pub approvals: Vec<Option<ApprovalAnswer>>,
    /// What the app planned after its first look at the prompt; `null` where it took none.
    pub plan: Value,
    /// Messages that joined the turn while it ran.
    pub joined: Vec<JoinedInput>,
    /// Whether the turn was cancelled, or its time was up.
    pub cancelled: bool,
}

/// What a call of a model came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AnswerInput {
    /// The answer, or why there is none.
    pub outcome: Result<ModelAnswer, ModelError>,
    /// Whether it came in pieces.
    pub streamed: bool,
    /// The text that had come where the answer broke off.
    pub text: String,
}

/// What a call of a tool or an agent came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResultInput {
    /// The id of the call.
    pub call: String,
    /// The tool or the agent.
    pub tool: String,
    /// What it said; an error where it failed.
    pub result: ToolResult,
    /// The tokens of an agent.
    pub usage: Usage,
    /// Why an agent halted, where that ended this turn too.
    pub halt: Option<String>,
    /// What an agent waits for, so that this turn was suspended.
    pub waits: Option<Box<ApprovalRequest>>,
}

/// A message that joined a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JoinedInput {
    /// The step that it came before, counted from 1.
    pub step: usize,
    /// The message.
    pub message: Message,
}

/// An agent that asked another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskerInput {
    /// The agent.
    pub agent: String,
    /// The prompt that its turn was at.
    pub prompt: Option<String>,
}

/// Calls that wait for somebody's word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WaitingInput {
    /// What the approver was asked about them.
    pub held: Vec<ApprovalRequest>,
    /// The ids of those that ask an agent, a call of which waits.
    pub agents: Vec<String>,
}
