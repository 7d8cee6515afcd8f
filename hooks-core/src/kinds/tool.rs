use std::time::Duration;

use hooks_macros::__event as event;

use crate::data::{Messages, ResultRow, ToolCall, ToolInfo, ToolInput, ToolResult};
use crate::verdict::{Permission, Retry};

/// Fires before a tool runs: hooks may rewrite its input and decide whether it may run.
///
/// Hooks can rewrite only the input of the call, not its id or name.
#[event(name = "before_tool_call", subject = ToolInput, verdict = Permission, match(tool = call.name), new(call))]
pub struct BeforeToolCall {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// What the harness knows of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub info: Option<ToolInfo>,
}

/// Fires after a hook at `before_tool_call` answered *ask* or *defer*, before a person is asked: hooks may answer in
/// the person's place.
///
/// An allow lets the call run with the input that the hooks leave. If they changed the input, the hooks at
/// `before_tool_call` judge it again. A deny refuses the call. An answer is its result. Every other verdict leaves the decision
/// to the person.
#[event(name = "permission_request", subject = ToolInput, verdict = Permission, match(tool = call.name), new(call))]
pub struct PermissionRequest {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// Why the hook at `before_tool_call` did not decide.
    pub reason: String,
    /// Whether that hook answered *defer* instead of *ask*.
    pub deferred: bool,
}

/// Fires when a tool has returned a result: hooks may rewrite the result, attribute it to another role, add context for
/// the model, or remove the result.
#[event(
    name = "after_tool_call_success",
    subject = ToolResult,
    removable,
    check = ToolResult::check_blocks,
    match(tool = call.name),
    new(call, input)
)]
pub struct AfterToolCallSuccess {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    pub history: Messages,
    /// How long the tool ran.
    pub duration: Duration,
    /// The number of tokens left in the model's context, if the harness knows it.
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    pub model: Option<String>,
    /// Whether the user interface can render the output of tools.
    pub dynamic_ui: bool,
}

/// Fires when a tool has failed: hooks may rewrite the result that the model reads, add context, hide the failure from
/// the model, or run the tool again.
#[event(
    name = "after_tool_call_failure",
    subject = ToolResult,
    verdict = Retry,
    removable,
    check = ToolResult::check_blocks,
    match(tool = call.name),
    new(call, input, error)
)]
pub struct AfterToolCallFailure {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The error.
    pub error: String,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    pub history: Messages,
    /// How long the tool ran.
    pub duration: Duration,
    /// The number of tokens left in the model's context, if the harness knows it.
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    pub model: Option<String>,
    /// Whether the user interface can render the output of tools.
    pub dynamic_ui: bool,
    /// How often the tool has run for this call, starting at 1; 0 if it did not run.
    pub attempt: u32,
    /// Whether the harness would run the tool again, so that a [`Retry`] has an effect.
    pub may_retry: bool,
}

/// Fires when a call has ended, for every outcome, with the result before its row.
#[event(name = "after_tool_call", match(tool = call.name), new(call, input))]
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
    pub duration: Duration,
    /// How often the tool ran for this call; 0 if the call was refused, answered by a gate or cancelled before it ran.
    pub attempt: u32,
}

/// Fires before a tool's result is stored: hooks may rewrite the row.
#[event(
    name = "before_store_tool_result",
    subject = ResultRow,
    check = ResultRow::check,
    match(tool = call.name),
    new(call)
)]
pub struct BeforeStoreToolResult {
    /// The call as the model requested it.
    pub call: ToolCall,
}
