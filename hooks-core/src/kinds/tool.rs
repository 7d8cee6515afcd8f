use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{Messages, ToolCall, ToolInput, ToolResult};
use crate::verdict::Permission;

/// Fires before a tool runs: hooks may rewrite its input and decide whether it may run.
///
/// Nothing of the call but its input can be rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_tool_call", subject = ToolInput, verdict = Permission, match(tool = call.name))]
#[non_exhaustive]
pub struct BeforeToolCall {
    /// The call as the model asked for it.
    pub call: ToolCall,
}

impl BeforeToolCall {
    /// The model asks for `call`.
    pub fn new(call: ToolCall) -> Self {
        Self { call }
    }
}

/// Fires when a tool has answered: hooks may rewrite the result, add context for the model, or remove it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_tool_call_success", subject = ToolResult, removable, match(tool = call.name))]
#[non_exhaustive]
pub struct AfterToolCallSuccess {
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// The input that the tool really got.
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
}

impl AfterToolCallSuccess {
    /// A tool answered `call`, with the input it was asked with.
    pub fn new(call: ToolCall) -> Self {
        let input = call.input.clone();
        Self { call, input, history: Messages::default(), duration: Duration::ZERO, context_budget: None }
    }

    /// The input that the tool really got, after the gate.
    #[must_use]
    pub fn ran_with(mut self, input: ToolInput) -> Self {
        self.input = input;
        self
    }

    /// The conversation up to the call.
    #[must_use]
    pub fn history(mut self, history: Messages) -> Self {
        self.history = history;
        self
    }

    /// How long the tool took.
    #[must_use]
    pub fn took(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }

    /// How many tokens the model's context may still take.
    #[must_use]
    pub fn context_budget(mut self, tokens: u64) -> Self {
        self.context_budget = Some(tokens);
        self
    }
}
