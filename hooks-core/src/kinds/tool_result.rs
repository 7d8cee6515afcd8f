use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::words::setters;
use crate::HookKind;
use crate::data::{Messages, ResultRow, ToolCall, ToolInput, ToolResult};
use crate::verdict::Retry;

/// Fires when a tool has answered: hooks may rewrite the result, say who says it to the model in the tool's place, add
/// context for the model, or remove it.
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
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// The input that the tool really got.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    #[serde(default)]
    pub history: Messages,
    /// How long the tool took.
    #[serde(default)]
    pub duration: Duration,
    /// How many tokens the model's context may still take, where the harness knows.
    #[serde(default)]
    pub context_budget: Option<u64>,
    /// The model that reads the result, where the harness knows.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the person's side can show what a tool draws.
    #[serde(default)]
    pub dynamic_ui: bool,
}

impl AfterToolCallSuccess {
    /// A tool answered `call`, with the input it was asked with.
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

    /// The input that the tool really got, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool took.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCallSuccess {
    /// The conversation up to the call.
    history: Messages,
    /// How many tokens the model's context may still take.
    context_budget: u64 => Some,
    /// The model that reads the result.
    model: String => Some,
    /// Whether the person's side can show what a tool draws.
    dynamic_ui: bool,
});

/// Fires when a tool has failed: hooks may rewrite what the model is told of it, add context, keep it from the model, or have
/// the tool run again.
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
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// What went wrong.
    pub error: String,
    /// The input that the tool really got.
    #[serde(default)]
    pub input: ToolInput,
    /// The conversation up to the call.
    #[serde(default)]
    pub history: Messages,
    /// How long the tool took.
    #[serde(default)]
    pub duration: Duration,
    /// How many tokens the model's context may still take, where the harness knows.
    #[serde(default)]
    pub context_budget: Option<u64>,
    /// The model that reads the result, where the harness knows.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the person's side can show what a tool draws.
    #[serde(default)]
    pub dynamic_ui: bool,
    /// How often the tool ran for this call, from 1; 0 where it did not run.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the harness would run the tool again, so that a [`Retry`] has an effect.
    #[serde(default)]
    pub may_retry: bool,
}

impl AfterToolCallFailure {
    /// The tool of `call` failed with `error`, with the input it was asked with.
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

    /// The input that the tool really got, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool took.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCallFailure {
    /// The conversation up to the call.
    history: Messages,
    /// How many tokens the model's context may still take.
    context_budget: u64 => Some,
    /// The model that reads the result.
    model: String => Some,
    /// Whether the person's side can show what a tool draws.
    dynamic_ui: bool,
    /// How often the tool ran for this call.
    attempt: u32,
    /// Whether the harness would run the tool again.
    may_retry: bool,
});

/// Fires when a call is over, whatever came of it, with what the model is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_tool_call", match(tool = call.name), json)]
#[non_exhaustive]
pub struct AfterToolCall {
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// The input that the tool really got.
    #[serde(default)]
    pub input: ToolInput,
    /// What the tool answered; `None` where a hook removed it.
    #[serde(default)]
    pub result: Option<ToolResult>,
    /// What went wrong, if something did.
    #[serde(default)]
    pub error: Option<String>,
    /// How long the tool took.
    #[serde(default)]
    pub duration: Duration,
}

impl AfterToolCall {
    /// `call` is over.
    pub fn new(call: ToolCall) -> Self {
        let input = call.input.clone();
        Self { call, input, result: None, error: None, duration: Duration::ZERO }
    }

    /// The input that the tool really got, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// How long the tool took.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }
}

setters!(AfterToolCall {
    /// What the tool answered.
    result: ToolResult => Some,
    /// What went wrong.
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
    /// The call as the model asked for it.
    pub call: ToolCall,
}
