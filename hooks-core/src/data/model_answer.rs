use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::Block;
use super::message::{Message, Role};
use super::usage::Usage;
use crate::tables::setters;

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelAnswer {
    /// Text and tool calls, in order.
    pub content: Vec<Block>,
    /// Why the model stopped, as the provider reports it; but [`MAX_TOKENS`], whatever the provider's word for it is, if
    /// the answer was cut off. Its calls may be cut off too, so nothing makes them.
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

    /// The message to store: without what providers reject or a model cannot know, and with an id of its own for each
    /// call. `taken` are the calls of the conversation.
    pub fn into_message<'a>(self, taken: impl IntoIterator<Item = &'a str>) -> Message {
        // If the answer was cut off, the arguments of its calls may be too.
        let cut = self.stop_reason == MAX_TOKENS;
        let mut message = Message::of(Role::Assistant, self.content);
        message.extra = self.extra;
        // Providers reject empty blocks, and a model cannot know the result of a call.
        message.content.retain(|block| match block {
            Block::ToolUse(_) => !cut,
            Block::ToolResult(_) => false,
            block => block.as_text() != Some(""),
        });
        if message.tool_calls().next().is_some() {
            name_calls(&mut message.content, taken.into_iter().map(str::to_owned).collect());
        }
        message
    }
}

/// Gives a new id to each call without an id, or with an id that is taken.
fn name_calls(content: &mut [Block], mut taken: HashSet<String>) {
    for block in content {
        if let Block::ToolUse(call) = block {
            // Only a route sets this. A model that set it would have its call judged as one of another tool.
            call.declared_as = None;
            let mut number = taken.len();
            while call.id.is_empty() || taken.contains(&call.id) {
                call.id = format!("call_{number}");
                number += 1;
            }
            taken.insert(call.id.clone());
        }
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
