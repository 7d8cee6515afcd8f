use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::Block;
use super::usage::Usage;
use crate::tables::setters;

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelAnswer {
    /// Text and tool calls, in order.
    pub content: Vec<Block>,
    /// Why the model stopped, as the provider reports it. [`MAX_TOKENS`] if the answer was cut off.
    pub stop_reason: String,
    /// The name of the model. Empty if the provider does not report it.
    pub model: String,
    /// The token usage, if the provider reports it.
    pub usage: Option<Usage>,
    /// Provider-specific fields, which are stored unchanged with the message.
    pub extra: Map<String, Value>,
    /// Whether text of the answer has already been shown to the person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub streamed: bool,
}

/// The [`ModelAnswer::stop_reason`] of an answer that was cut off at the maximum number of tokens.
pub const MAX_TOKENS: &str = "max_tokens";

impl ModelAnswer {
    /// Creates an answer with these blocks.
    pub fn new(content: Vec<Block>) -> Self {
        let calls = content.iter().any(|block| matches!(block, Block::ToolUse(_)));
        let stop_reason = if calls { "tool_use" } else { "end_turn" };
        Self { content, stop_reason: stop_reason.to_owned(), ..Self::default() }
    }

    /// Creates an answer with one block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Block::from(text.into())])
    }
}

setters!(ModelAnswer {
    /// Sets the stop reason.
    stop_reason: impl Into<String>,
    /// Sets the name of the model.
    model: impl Into<String>,
    /// Sets the token usage.
    usage: Usage => Some,
    /// Sets whether text of the answer has already been shown to the person.
    streamed: bool,
});
