use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::words::setters;
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
    #[serde(default)]
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the user interface can render the output of tools.
    #[serde(default)]
    pub dynamic_ui: bool,
}

impl AfterToolCallSuccess {
    /// An event for the result of `call`, with the input of the call.
    pub fn new(call: ToolCall) -> Self {
        let input = call.input.clone();
        Self {
            call,
            input,
            history: Messages::default(),
            duration: Duration::ZERO,
            context_budget: None,
            model: None,
            dynamic_ui: false,
        }
    }

    /// The input that the tool received, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool ran.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCallSuccess {
    /// The conversation up to the call.
    history: Messages,
    /// The number of tokens left in the model's context.
    context_budget: u64 => Some,
    /// The model that reads the result.
    model: String => Some,
    /// Whether the user interface can render the output of tools.
    dynamic_ui: bool,
});

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
    #[serde(default)]
    pub context_budget: Option<u64>,
    /// The model that reads the result, if the harness knows it.
    #[serde(default)]
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

impl AfterToolCallFailure {
    /// An event for the failure `error` of `call`, with the input of the call.
    pub fn new(call: ToolCall, error: impl Into<String>) -> Self {
        let input = call.input.clone();
        let error = error.into();
        Self {
            call,
            error,
            input,
            history: Messages::default(),
            duration: Duration::ZERO,
            context_budget: None,
            model: None,
            dynamic_ui: false,
            attempt: 0,
            may_retry: false,
        }
    }

    /// The input that the tool received, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool ran.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCallFailure {
    /// The conversation up to the call.
    history: Messages,
    /// The number of tokens left in the model's context.
    context_budget: u64 => Some,
    /// The model that reads the result.
    model: String => Some,
    /// Whether the user interface can render the output of tools.
    dynamic_ui: bool,
    /// How often the tool has run for this call.
    attempt: u32,
    /// Whether the harness would run the tool again.
    may_retry: bool,
});

/// Fires when a call has ended, for every outcome, with the result that the model reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_tool_call", match(tool = call.name), json)]
#[non_exhaustive]
pub struct AfterToolCall {
    /// The call as the model requested it.
    pub call: ToolCall,
    /// The input that the tool received.
    #[serde(default)]
    pub input: ToolInput,
    /// The result of the tool; `None` if a hook removed it.
    #[serde(default)]
    pub result: Option<ToolResult>,
    /// The error, if there was one.
    #[serde(default)]
    pub error: Option<String>,
    /// How long the tool ran.
    #[serde(default)]
    pub duration: Duration,
}

impl AfterToolCall {
    /// An event for the end of `call`.
    pub fn new(call: ToolCall) -> Self {
        let input = call.input.clone();
        Self { call, input, result: None, error: None, duration: Duration::ZERO }
    }

    /// The input that the tool received, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool ran.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCall {
    /// The result of the tool.
    result: ToolResult => Some,
    /// The error.
    error: String => Some,
});

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
