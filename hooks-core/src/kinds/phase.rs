use hooks_macros::__event as event;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::data::{InputError, Messages, ToolCall};
use crate::verdict::Contributions;

/// Fires as the first phase, before the policy of a turn is fixed: hooks contribute to the policy.
#[event(name = "pre_policy", verdict = Contributions, new(prompt))]
#[derive(Default)]
pub struct PrePolicy {
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation so far.
    pub history: Messages,
}

/// Fires before the context of a prompt is assembled: hooks contribute to the context.
#[event(name = "pre_prompt_context", verdict = Contributions, new(prompt))]
#[derive(Default)]
pub struct PrePromptContext {
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation so far.
    pub history: Messages,
    /// The contributions of earlier phases of this turn.
    pub contributions: Contributions,
}

/// Fires after the app's preflight check of the prompt: hooks contribute context for the plan of that check.
#[event(name = "post_preflight_prompt_context", verdict = Contributions, new(prompt))]
#[derive(Default)]
pub struct PostPreflightPromptContext {
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation so far.
    pub history: Messages,
    /// The app's plan for the turn, as JSON of a type of the app; `read_plan` parses it. `null` if the app has no
    /// preflight check.
    pub plan: Value,
    /// The contributions of earlier phases of this turn.
    pub contributions: Contributions,
}

impl PostPreflightPromptContext {
    /// The plan as the app's type; `None` if the app has no preflight check, or the check failed.
    ///
    /// ```
    /// use hook_sdk::data::InputError;
    /// use hook_sdk::kinds::PostPreflightPromptContext;
    /// use hook_sdk::prelude::*;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Plan {
    ///     topics: Vec<String>,
    /// }
    ///
    /// #[hook(id = "recall", kind = post_preflight_prompt_context)]
    /// fn recall(event: &PostPreflightPromptContext) -> Result<Option<Contribution>, InputError> {
    ///     let plan: Option<Plan> = event.read_plan()?;
    ///     Ok(plan.map(|plan| Contribution::audit(format!("looked under {}", plan.topics.join(", ")))))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`InputError`], if the plan cannot be parsed as a `T`.
    pub fn read_plan<T: DeserializeOwned>(&self) -> Result<Option<T>, InputError> {
        let problem =
            |error: serde_json::Error| InputError::of::<T>("the plan of the preflight check: ", &error.to_string());
        if self.plan.is_null() { Ok(None) } else { T::deserialize(&self.plan).map(Some).map_err(problem) }
    }
}

/// Fires before the tools of a turn are fixed: hooks contribute tools and limits.
#[event(name = "pre_tool_materialization", verdict = Contributions, new(prompt))]
#[derive(Default)]
pub struct PreToolMaterialization {
    /// The prompt of the person.
    pub prompt: String,
    /// The names of the available tools.
    pub tools: Vec<String>,
    /// The conversation so far.
    pub history: Messages,
    /// The contributions of earlier phases of this turn.
    pub contributions: Contributions,
}

/// Fires before the prompt is compiled from its parts: hooks contribute the last parts.
#[event(name = "pre_prompt_compile", verdict = Contributions, match(profile), new(prompt))]
#[derive(Default)]
pub struct PrePromptCompile {
    /// The prompt of the person.
    pub prompt: String,
    /// The conversation so far.
    pub history: Messages,
    /// The names of the available tools.
    pub tools: Vec<String>,
    /// The model profile of the turn; empty if there is none.
    pub profile: String,
    /// The contributions of earlier phases of this turn.
    pub contributions: Contributions,
}

/// Fires when a turn is over: hooks contribute audit notes and background jobs.
#[event(name = "post_turn", verdict = Contributions, new(prompt))]
#[derive(Default)]
pub struct PostTurn {
    /// The prompt of the person.
    pub prompt: String,
    /// The model's answer.
    pub reply: String,
    /// The tool calls of the turn.
    pub calls: Vec<ToolCall>,
    /// The errors of the turn.
    pub errors: Vec<String>,
    /// The conversation so far.
    pub history: Messages,
    /// The contributions of earlier phases of this turn.
    pub contributions: Contributions,
}
