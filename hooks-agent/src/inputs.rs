//! The inputs of a turn that do not come from hooks, to record and rerun the turn.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use hook_sdk::data::{Message, Messages, ToolCall, ToolInput, ToolResult, Usage};
use hook_sdk::protocol::Approval;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approve::{AgentCall, ApprovalRequest};
use crate::limits::Limits;
use crate::model::{ModelAnswer, ModelError};
use crate::tool::ToolSpec;

/// All inputs of a turn that do not come from hooks, as they were before any hook saw them. They suffice to run the
/// turn again with other hooks, without a model or a tool. See
/// [`HarnessBuilder::on_inputs`](crate::HarnessBuilder::on_inputs).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TurnInputs {
    /// The conversation before the turn.
    pub stored: Messages,
    /// The ids of calls in rows that a summary replaced, if the turn made calls.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub folded: BTreeSet<String>,
    /// The contexts from hooks at `session_start`, which fired before the turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<String>,
    /// The person's message. `None` for a resumed turn.
    pub prompt: Option<Message>,
    /// What started the turn, in a word.
    pub trigger: String,
    /// Whether the prompt was hidden from the person.
    pub hidden: bool,
    /// The agents whose gates also applied, outermost first.
    pub gated_by: Vec<AskerInput>,
    /// The calls of a resumed turn that wait for an approval.
    pub waiting: WaitingInput,
    /// The session's system prompt.
    pub system_prompt: String,
    /// The channel on which the person was.
    pub channel: String,
    /// Whether the client can display dynamic user interfaces of tools.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dynamic_ui: bool,
    /// The profiles of the harness, default first.
    pub profiles: Vec<String>,
    /// The session's profile, if it sets one.
    pub profile: Option<String>,
    /// The limits of the turn.
    pub limits: Limits,
    /// The tools and agents that could be offered to the model.
    pub tools: Vec<ToolSpec>,
    /// The tools that hooks allow the calling agent. `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<BTreeSet<String>>,
    /// The tools that are offered only if a hook contributes them.
    pub bundled: Vec<ToolSpec>,
    /// The results of model calls, in order.
    pub answers: Vec<AnswerInput>,
    /// The results of calls of tools and agents.
    pub results: Vec<ResultInput>,
    /// What the approver did, in the order of the questions.
    pub approvals: Vec<ApprovalInput>,
    /// The plan of the app's preflight. `null` without a preflight.
    pub plan: Value,
    /// Messages that joined the turn while it was running.
    pub joined: Vec<JoinedInput>,
    /// Whether the turn was cancelled or timed out.
    pub cancelled: bool,
    /// When the turn began and how long it took.
    pub time: Timing,
}

/// When something began, by the clock of the machine, and how long it took. Zero if that is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Timing {
    /// The beginning, in microseconds since 1970.
    pub at: u64,
    /// The duration in microseconds.
    pub micros: u64,
}

impl Timing {
    /// A beginning now.
    pub(crate) fn begin() -> Self {
        Self { at: micros(UNIX_EPOCH.elapsed().unwrap_or_default()), micros: 0 }
    }

    /// The time from the beginning until now.
    pub(crate) fn end(self) -> Self {
        if self.at == 0 { self } else { Self { micros: Self::begin().at.saturating_sub(self.at), ..self } }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The result of a model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AnswerInput {
    /// The answer, or the error.
    pub outcome: Result<ModelAnswer, ModelError>,
    /// Whether the answer was streamed.
    pub streamed: bool,
    /// The text that had arrived when the answer broke off.
    pub text: String,
    /// The time of the call.
    #[serde(default)]
    pub time: Timing,
}

/// What an approver did about a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalInput {
    /// It answered.
    Answered(Approval),
    /// It did not answer in time.
    Late,
    /// It panicked.
    Panicked,
}

/// The result of a call of a tool or an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResultInput {
    /// The id of the call.
    pub call: String,
    /// The tool or the agent.
    pub tool: String,
    /// The result. An error if the call failed.
    pub result: ToolResult,
    /// The token usage of an agent.
    pub usage: Usage,
    /// The reason of an agent's halt that also ended this turn.
    pub halt: Option<String>,
    /// The approval that an agent waits for, because of which this turn was suspended.
    pub waits: Option<Box<ApprovalRequest>>,
    /// The error of an agent that waits on, which ended this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The time of the run.
    #[serde(default)]
    pub time: Timing,
}

/// A message that joined a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JoinedInput {
    /// The step before which it joined, counted from 1.
    pub step: usize,
    /// The message.
    pub message: Message,
}

/// An agent that called another agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskerInput {
    /// The agent that made the call.
    pub agent: String,
    /// The prompt of its turn.
    pub prompt: Option<String>,
}

/// The calls of a suspended turn that wait for an approval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WaitingInput {
    /// The requests that the approver received for calls of this turn.
    pub held: Vec<ApprovalRequest>,
    /// The ids of calls to sub-agents in whose turns a call waits.
    pub agents: Vec<String>,
    /// What is known of these calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) agent_calls: Vec<AgentCall>,
    /// The ids of calls that may have run, because another process closed their question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
}

impl WaitingInput {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.agents.is_empty()
    }

    /// Those of them that are among `calls`.
    pub(crate) fn among(&self, calls: &[ToolCall]) -> Self {
        let is_one = |id: &str| calls.iter().any(|call| call.id == id);
        let ids = |ids: &[String]| ids.iter().filter(|id| is_one(id)).cloned().collect();
        let held = self.held.iter().filter(|held| is_one(&held.call.id)).cloned().collect();
        let agent_calls = self.agent_calls.iter().filter(|call| is_one(&call.call)).cloned().collect();
        Self { held, agents: ids(&self.agents), agent_calls, taken: ids(&self.taken) }
    }

    /// Whether this call waits.
    pub(crate) fn has(&self, call: &str) -> bool {
        self.held.iter().any(|held| held.call.id == call) || self.agents.iter().any(|agent| agent == call)
    }

    /// The input with which an agent that waits was called. It may have been edited, and hooks may have masked the stored
    /// row.
    pub(crate) fn input_of(&self, call: &str) -> Option<&ToolInput> {
        self.agent_calls.iter().find(|known| known.call == call).map(|known| &known.input)
    }

    /// The contexts for results before the turn was suspended. They only grow.
    pub(crate) fn contexts(&self) -> &[String] {
        let contexts = self.held.iter().map(|held| &held.contexts);
        let contexts = contexts.chain(self.agent_calls.iter().map(|call| &call.contexts));
        contexts.max_by_key(|contexts| contexts.len()).map_or(&[], Vec::as_slice)
    }

    /// The call about which somebody was asked, or `call`. Hooks may have masked the stored row of the call, and what
    /// runs is what was approved.
    pub(crate) fn as_asked(&self, call: ToolCall) -> ToolCall {
        let held = self.held.iter().find(|held| held.call.id == call.id);
        held.map_or(call, |held| held.call.clone())
    }
}
