use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::HookKind;
use crate::data::{Messages, ToolCall, expected};
use crate::text::{cut, redacted};
use crate::verdict::Contributions;

/// Fires first of the phases, before the policy of a turn is settled: hooks contribute to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_policy", verdict = Contributions, new(prompt), json)]
#[non_exhaustive]
pub struct PrePolicy {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
}

/// Fires before the context of a prompt is put together: hooks contribute to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_prompt_context", verdict = Contributions, new(prompt), json)]
#[non_exhaustive]
pub struct PrePromptContext {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

/// Fires when a first look at the prompt is done: hooks contribute context that what was found asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "post_preflight_prompt_context", verdict = Contributions, new(prompt), json)]
#[non_exhaustive]
pub struct PostPreflightPromptContext {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// What the app plans for the turn after its look at the prompt, as JSON of a type of its own, which `read_plan` reads;
    /// `null` where it takes none.
    #[serde(default)]
    pub plan: Value,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

impl PostPreflightPromptContext {
    /// The plan as the app's type; `None` where the app took no look at the prompt, or could not.
    ///
    /// ```
    /// use hooks_core::kinds::{PlanError, PostPreflightPromptContext};
    /// use hooks_core::prelude::*;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Plan {
    ///     topics: Vec<String>,
    /// }
    ///
    /// #[hook(id = "recall", kind = post_preflight_prompt_context)]
    /// fn recall(event: &PostPreflightPromptContext) -> Result<Option<Contribution>, PlanError> {
    ///     let plan: Option<Plan> = event.read_plan()?;
    ///     Ok(plan.map(|plan| Contribution::audit(format!("looked under {}", plan.topics.join(", ")))))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`PlanError`], where the plan is none of `T`.
    pub fn read_plan<T: DeserializeOwned>(&self) -> Result<Option<T>, PlanError> {
        let problem =
            |error: serde_json::Error| PlanError { expected: expected::<T>(), problem: redacted(&error.to_string()) };
        if self.plan.is_null() { Ok(None) } else { T::deserialize(&self.plan).map(Some).map_err(problem) }
    }
}

/// The plan of the app is not what a hook expected. Made by [`PostPreflightPromptContext::read_plan`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan of the preflight: expected {expected}: {problem}")]
pub struct PlanError {
    expected: String,
    problem: String,
}

/// Fires before the tools of a turn are settled: hooks contribute to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_tool_materialization", verdict = Contributions, new(prompt), json)]
#[non_exhaustive]
pub struct PreToolMaterialization {
    /// What the person wrote.
    pub prompt: String,
    /// The names of the tools at hand.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

/// Fires before the prompt is written from its parts: hooks contribute the last of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "pre_prompt_compile", verdict = Contributions, match(profile), new(prompt), json)]
#[non_exhaustive]
pub struct PrePromptCompile {
    /// What the person wrote.
    pub prompt: String,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// The names of the tools at hand.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The model profile of the turn; empty where there is none.
    #[serde(default)]
    pub profile: String,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

/// The most characters of prompt and reply that [`PostTurn::bounded`] keeps.
const SAID: usize = 4_000;

/// The most characters of an error that it keeps.
const ERROR: usize = 1_000;

/// The most calls and errors that it keeps.
const HAPPENED: usize = 40;

/// Fires when a turn is over: hooks contribute what is to be noted or done later.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "post_turn", verdict = Contributions, new(prompt), json)]
#[non_exhaustive]
pub struct PostTurn {
    /// What the person wrote.
    pub prompt: String,
    /// What the model answered.
    #[serde(default)]
    pub reply: String,
    /// The tool calls of the turn.
    #[serde(default)]
    pub calls: Vec<ToolCall>,
    /// What went wrong in the turn.
    #[serde(default)]
    pub errors: Vec<String>,
    /// The conversation so far.
    #[serde(default)]
    pub history: Messages,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
}

impl PostTurn {
    /// The same within bounds, for what is kept after the turn: prompt and reply of at most 4,000 characters, the last 40
    /// calls, the last 40 errors of at most 1,000 characters each, no history. Cut between characters.
    ///
    /// ```
    /// use hooks_core::kinds::PostTurn;
    ///
    /// let turn = PostTurn::new("日".repeat(5_000)).errors(vec!["x".to_owned(); 50]).bounded();
    /// assert_eq!((turn.prompt.chars().count(), turn.errors.len()), (4_000, 40));
    /// ```
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let last = |len: usize| len.saturating_sub(HAPPENED);
        self.calls.drain(..last(self.calls.len()));
        self.errors.drain(..last(self.errors.len()));
        for (text, limit) in [(&mut self.prompt, SAID), (&mut self.reply, SAID)]
            .into_iter()
            .chain(self.errors.iter_mut().map(|error| (error, ERROR)))
        {
            text.truncate(cut(text, limit).len());
        }
        self.history = Messages::default();
        self
    }
}
