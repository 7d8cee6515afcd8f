use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{Messages, ResultRow, ToolCall, ToolInput, ToolResult};
use crate::verdict::Retry;

/// Fires when a tool has returned a result: hooks may rewrite the result, attribute it to another role, add context for
/// the model, or remove the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "after_tool_call_success",
    subject = ToolResult,
    removable,
    check = ToolResult::check_blocks,
    match(tool = call.name),
    new(call, input),
    json
)]
#[non_exhaustive]
pub struct AfterToolCallSuccess {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    #[serde(default)]
    pub history: Messages,
    /// How long the tool ran.
    #[serde(default)]
    pub duration: Duration,
    /// The number of tokens left in the model's context, if the harness knows it.
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    pub model: Option<String>,
    /// Whether the user interface can render the output of tools.
    #[serde(default)]
    pub dynamic_ui: bool,
}

/// Fires when a tool has failed: hooks may rewrite the result that the model reads, add context, hide the failure from
/// the model, or run the tool again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "after_tool_call_failure",
    subject = ToolResult,
    verdict = Retry,
    removable,
    check = ToolResult::check_blocks,
    match(tool = call.name),
    new(call, input, error),
    json
)]
#[non_exhaustive]
pub struct AfterToolCallFailure {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The error.
    pub error: String,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    #[serde(default)]
    pub history: Messages,
    /// How long the tool ran.
    #[serde(default)]
    pub duration: Duration,
    /// The number of tokens left in the model's context, if the harness knows it.
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    pub model: Option<String>,
    /// Whether the user interface can render the output of tools.
    #[serde(default)]
    pub dynamic_ui: bool,
    /// How often the tool has run for this call, starting at 1; 0 if it did not run.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the harness would run the tool again, so that a [`Retry`] has an effect.
    #[serde(default)]
    pub may_retry: bool,
}

/// Fires when a call has ended, for every outcome, with the result before its row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_tool_call", match(tool = call.name), new(call, input), json)]
#[non_exhaustive]
pub struct AfterToolCall {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The result of the tool; `None` if a hook removed it.
    pub result: Option<ToolResult>,
    /// The error that the model reads, if there was one.
    pub error: Option<String>,
    /// How long the tool ran.
    #[serde(default)]
    pub duration: Duration,
    /// How often the tool ran for this call; 0 if the call was refused, answered by a gate or cancelled before it ran.
    #[serde(default)]
    pub attempt: u32,
}

/// Fires before a tool's result is stored: hooks may rewrite the row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "before_store_tool_result",
    subject = ResultRow,
    check = ResultRow::check,
    match(tool = call.name),
    new(call),
    json
)]
#[non_exhaustive]
pub struct BeforeStoreToolResult {
    /// The call as the model requested it.
    pub call: ToolCall,
}
