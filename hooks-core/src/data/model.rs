use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::Block;
use super::history::Messages;
use super::rules;
use super::shared::shared;
use super::violation::Violation;

shared! {
    /// What a model is about to be asked, beside the messages.
    ///
    /// ```
    /// use hooks_core::data::ModelRequest;
    ///
    /// let mut request = ModelRequest::new("You are a clerk.").profile("fast");
    /// request.system_prompt.push_str(" Be brief.");
    /// assert_eq!(request.system_prompt, "You are a clerk. Be brief.");
    /// ```
    ModelRequest(ModelRequestData)
}

/// What a [`ModelRequest`] holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelRequestData {
    /// The instructions for the model.
    pub system_prompt: String,
    /// The model profile that the call is routed to; `None` for the harness's own choice.
    pub profile: Option<String>,
    /// Whether text is held back until the hooks after the call have seen it, so that they may still rewrite it.
    pub defer_output: bool,
    /// The tools of this call, by their names: of those of the turn, these alone. `None` for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether the model has to call a tool: `auto`, `required`, `none`, or the name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// How freely the model chooses its words, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How many tokens the answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The JSON Schema of the answer, where it is to be JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Fields that only the provider knows.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// The answer, where no model is to be called: from a cache, or because a budget is spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Vec<Block>>,
}

impl ModelRequest {
    /// A call with these instructions.
    pub fn new(system_prompt: impl Into<String>) -> Self {
        ModelRequestData { system_prompt: system_prompt.into(), ..ModelRequestData::default() }.into()
    }

    /// Routes the call to a profile.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    /// Holds text back until the hooks after the call have seen it.
    #[must_use]
    pub fn defer_output(mut self, defer: bool) -> Self {
        self.defer_output = defer;
        self
    }

    /// Answers in the model's place.
    #[must_use]
    pub fn answer(mut self, text: impl Into<String>) -> Self {
        self.answer = Some(vec![Block::from(text.into())]);
        self
    }

    /// A profile that is blank routes nowhere.
    pub(crate) fn check(_before: &Self, after: &Self) -> Result<(), Violation> {
        named(after.profile.as_deref())
    }
}

fn named(profile: Option<&str>) -> Result<(), Violation> {
    match profile {
        Some(profile) if profile.trim().is_empty() => {
            Err(Violation::new("`profile` is blank; write `None` for the harness's own choice"))
        }
        _ => Ok(()),
    }
}

shared! {
    /// What a model answered, and the messages that the next call would be made with.
    ///
    /// As JSON, `content` is a list of blocks: a bare string is refused.
    ModelReply(ModelReplyData)
}

/// What a [`ModelReply`] holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelReplyData {
    /// The answer. A block that asks for a tool makes the call; one that is taken away does not.
    pub content: Vec<Block>,
    /// The messages of the next call, should a hook continue.
    pub messages: Messages,
    /// The model profile that calls go to from then on until the turn ends, should a hook continue; `None` leaves it as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

impl ModelReply {
    /// The answer `content`.
    pub fn new(content: Vec<Block>) -> Self {
        ModelReplyData { content, ..ModelReplyData::default() }.into()
    }

    /// The messages of the next call.
    #[must_use]
    pub fn messages(mut self, messages: Messages) -> Self {
        self.messages = messages;
        self
    }

    /// The profile that calls go to from then on.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        named(after.profile.as_deref())?;
        rules::blocks(&before.content, &after.content)?;
        Messages::check_conversation(&before.messages, &after.messages)
    }
}
