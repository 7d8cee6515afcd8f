//! Lists of messages in OpenAI's chat format, where each tool result is its own message.

use serde_json::Value;

use super::block::Block;
use super::history::Messages;
use super::message::{Message, MessageData, Role};
use super::openai::FormatError;

impl Messages {
    /// Parses a list of messages in the chat format.
    ///
    /// # Errors
    /// [`FormatError`], which names the field and what is expected there.
    pub fn from_openai(messages: impl IntoIterator<Item = Value>) -> Result<Self, FormatError> {
        let read = |(i, message)| Message::from_openai(message).map_err(|error| error.within(i));
        messages.into_iter().enumerate().map(read).collect()
    }

    /// Writes the messages in the chat format, each with [`Message::to_openai`].
    ///
    /// ```
    /// use hook_sdk::data::Messages;
    /// use serde_json::json;
    ///
    /// let messages = Messages::from_anthropic([json!({"role": "user", "content": [
    ///     {"type": "tool_result", "tool_use_id": "a", "content": "1"},
    ///     {"type": "tool_result", "tool_use_id": "b", "content": "2"},
    ///     {"type": "text", "text": "and now?"},
    /// ]})])?;
    /// assert_eq!(messages.to_openai(), [
    ///     json!({"role": "tool", "tool_call_id": "a", "content": "1"}),
    ///     json!({"role": "tool", "tool_call_id": "b", "content": "2"}),
    ///     json!({"role": "user", "content": [{"type": "text", "text": "and now?"}]}),
    /// ]);
    /// # Ok::<(), hook_sdk::data::FormatError>(())
    /// ```
    pub fn to_openai(&self) -> Vec<Value> {
        self.iter().flat_map(Message::to_openai).collect()
    }
}

/// Splits a message into the messages that represent it in the chat format.
pub(super) fn split(message: &Message) -> Vec<Message> {
    let is_result = |block: &&Block| matches!(block, Block::ToolResult(_));
    let results = message.content.iter().filter(is_result).count();
    if results == 0 || (message.role == Role::Tool && message.content.len() == 1) {
        return vec![message.clone()];
    }
    let mut parts: Vec<Message> = Vec::with_capacity(results + 1);
    let mut rest = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult(result) => {
                let (content, shape) = (vec![block.clone()], result.shape);
                parts.push(MessageData { role: Role::Tool, content, shape, ..MessageData::default() }.into());
            }
            other => rest.push(other.clone()),
        }
    }
    if !rest.is_empty() {
        let role = if message.role == Role::Tool { Role::User } else { message.role };
        parts.push(MessageData { role, content: rest, extra: message.extra.clone(), shape: message.shape }.into());
    }
    parts
}
