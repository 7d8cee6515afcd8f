use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{Messages, ToolCall};
use crate::text::cut;
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
    /// What the look at the prompt found.
    #[serde(default)]
    pub findings: Vec<String>,
    /// What earlier phases of this turn contributed.
    #[serde(default)]
    pub contributions: Contributions,
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
