use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::Block;
use super::history::Messages;
use super::shared::shared;
use super::validation;
use super::violation::Violation;
use crate::tables::setters;

shared! {
    /// The settings of a model call, without the messages.
    ///
    /// ```
    /// use hook_sdk::data::ModelRequest;
    ///
    /// let mut request = ModelRequest::new("You are a clerk.").profile("fast");
    /// request.system_prompt.push_str(" Be brief.");
    /// assert_eq!(request.system_prompt, "You are a clerk. Be brief.");
    /// ```
    ModelRequest(ModelRequestData)
}

/// The data of a [`ModelRequest`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelRequestData {
    /// The system prompt.
    pub system_prompt: String,
    /// The model profile that the call is routed to; `None` lets the harness choose.
    pub profile: Option<String>,
    /// Whether to hold back text until the hooks after the call have seen it, so that they can still rewrite it.
    pub defer_output: bool,
    /// The names of the tools offered in this call, a subset of the turn's tools; `None` offers all of them. A model may
    /// call one of the others all the same. The turn loop of `hooks-agent` answers that with an error; for another loop,
    /// deny at `before_tool_call` what must not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether the model must call a tool: `auto`, `required`, `none`, or a tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// The sampling temperature; 0 is the most deterministic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The maximum number of tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The JSON Schema that the answer must match, if it is to be JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Provider-specific fields of the request.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// An answer that replaces the model call, for example from a cache or because a budget is spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Vec<Block>>,
}

impl ModelRequest {
    /// Creates a request with a system prompt.
    pub fn new(system_prompt: impl Into<String>) -> Self {
        ModelRequestData { system_prompt: system_prompt.into(), ..ModelRequestData::default() }.into()
    }

    /// Answers with `text` instead of calling the model.
    #[must_use]
    pub fn answer(mut self, text: impl Into<String>) -> Self {
        self.answer = Some(vec![Block::from(text.into())]);
        self
    }

    /// Rejects a blank profile, which would route to no model.
    pub(crate) fn check(_before: &Self, after: &Self) -> Result<(), Violation> {
        named(after.profile.as_deref())
    }
}

setters!(ModelRequest {
    /// Routes the call to a model profile.
    profile: impl Into<String> => Some,
    /// Sets whether to hold back text until the hooks after the call have seen it.
    defer_output: bool,
});

fn named(profile: Option<&str>) -> Result<(), Violation> {
    match profile {
        Some(profile) if profile.trim().is_empty() => {
            Err(Violation::new("`profile` is blank; write `None` to let the harness choose"))
        }
        _ => Ok(()),
    }
}

shared! {
    /// A model's answer, and the messages of the next call if a hook continues the turn.
    ///
    /// In JSON, `content` must be a list of blocks; a plain string is an error.
    ModelReply(ModelReplyData)
}

/// The data of a [`ModelReply`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelReplyData {
    /// The answer's content blocks. A tool call runs only if its block is still present after the hooks.
    pub content: Vec<Block>,
    /// The messages that the next call uses if a hook continues the turn.
    pub messages: Messages,
    /// The model profile that later calls of this turn use if a hook continues it; `None` leaves the profile unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

impl ModelReply {
    /// Creates a reply from content blocks.
    pub fn new(content: Vec<Block>) -> Self {
        ModelReplyData { content, ..ModelReplyData::default() }.into()
    }

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        named(after.profile.as_deref())?;
        validation::blocks(&before.content, &after.content)?;
        Messages::check_conversation(&before.messages, &after.messages)
    }
}

setters!(ModelReply {
    /// Sets the messages of the next call.
    messages: Messages,
    /// Sets the profile for later calls of this turn.
    profile: impl Into<String> => Some,
});
