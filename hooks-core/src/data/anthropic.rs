//! Lossless conversion from and to messages in Anthropic's format.
//!
//! The format is that of the Messages API reference: `role` is `user` or `assistant`, and `content` is a string or a
//! list of blocks. Blocks have the same format here. In addition, a message remembers whether its content was written
//! as a string, as a list or not at all.

use serde_json::{Map, Value, json};

use super::block::{Block, Shape, ToolResultBlock};
use super::history::Messages;
use super::message::{Message, MessageData, Role};
use super::openai::{FormatError, json_type_name, take_role, wrong};

impl Message {
    /// Parses a message in Anthropic's format.
    ///
    /// # Errors
    /// [`FormatError`], which names the field and what is expected there.
    ///
    /// ```
    /// use hook_sdk::data::Message;
    /// use serde_json::json;
    ///
    /// let wire = json!({"role": "user", "content": [
    ///     {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"},
    ///     {"type": "text", "text": "and now?", "cache_control": {"type": "ephemeral"}},
    /// ]});
    /// let message = Message::from_anthropic(wire.clone())?;
    /// assert_eq!(message.text(), "and now?");
    /// assert_eq!(message.to_anthropic(), wire);
    /// # Ok::<(), hook_sdk::data::FormatError>(())
    /// ```
    pub fn from_anthropic(message: Value) -> Result<Self, FormatError> {
        let Value::Object(mut fields) = message else {
            return Err(wrong("message", "expected an object with `role` and `content`"));
        };
        let role = take_role(&mut fields)?;
        if !matches!(role, Role::User | Role::Assistant) {
            let expected =
                format!("expected `user` or `assistant`, found `{role}`: instructions are the request's `system`");
            return Err(wrong("role", expected));
        }
        let (content, shape) = match fields.remove("content") {
            Some(Value::String(text)) => (vec![Block::from(text)], Shape::Text),
            Some(Value::Array(blocks)) => {
                let blocks = blocks.into_iter().enumerate().map(|(i, block)| read_block(block, i));
                (blocks.collect::<Result<_, _>>()?, Shape::Parts)
            }
            other => {
                let found = other.as_ref().map_or("nothing", json_type_name);
                return Err(wrong("content", format!("expected a string or a list of blocks, found {found}")));
            }
        };
        Ok(MessageData { role, content, extra: fields, shape }.into())
    }

    /// Writes the message in Anthropic's format. Tool results become content of the user role, as that format requires.
    ///
    /// The format has no role for instructions: send [`Messages::instructions`] as the request's `system`.
    pub fn to_anthropic(&self) -> Value {
        let mut fields = self.extra.clone();
        let role = if self.role == Role::Tool { Role::User } else { self.role };
        fields.insert("role".to_owned(), json!(role.as_str()));
        let content = match (self.content.as_slice(), self.shape) {
            // Text that was a string stays one. Text that was not parsed from a provider becomes a string too, the
            // shorter form.
            ([Block::Text(only)], Shape::Text) if only.extra.is_empty() => json!(only.text),
            (blocks, _) => blocks.iter().map(write_block).collect(),
        };
        fields.insert("content".to_owned(), content);
        Value::Object(fields)
    }
}

impl Messages {
    /// The messages of the roles `system` and `developer`.
    pub fn instructions(&self) -> impl Iterator<Item = &Message> {
        self.iter().filter(|message| is_instruction(message))
    }

    /// Parses a list of messages in Anthropic's format.
    ///
    /// # Errors
    /// [`FormatError`], which names the field and what is expected there.
    pub fn from_anthropic(messages: impl IntoIterator<Item = Value>) -> Result<Self, FormatError> {
        let read = |(i, message)| Message::from_anthropic(message).map_err(|error| error.within(i));
        messages.into_iter().enumerate().map(read).collect()
    }

    /// Writes the messages in Anthropic's format, without [`instructions`](Self::instructions). Consecutive messages
    /// that are tool results are merged into one message of the user role, because the format expects parallel calls to
    /// be answered together.
    pub fn to_anthropic(&self) -> Vec<Value> {
        let conversation: Vec<&Message> = self.iter().filter(|message| !is_instruction(message)).collect();
        let runs = conversation.chunk_by(|a, b| a.role == Role::Tool && b.role == Role::Tool);
        runs.map(|run| match run {
            [one] => one.to_anthropic(),
            results => {
                let content = results.iter().flat_map(|message| message.content.clone()).collect();
                Message::of(Role::User, content).to_anthropic()
            }
        })
        .collect()
    }
}

fn is_instruction(message: &Message) -> bool {
    matches!(message.role, Role::System | Role::Developer)
}

fn read_block(block: Value, index: usize) -> Result<Block, FormatError> {
    let at = format!("content[{index}]");
    if block["type"] == "tool_use" && !block["input"].is_object() {
        return Err(wrong(format!("{at}.input"), "expected the tool's input, an object"));
    }
    let shape = match block.get("content") {
        None => Shape::Missing,
        Some(Value::Array(_)) => Shape::Parts,
        Some(_) => Shape::Text,
    };
    let says_is_error = block.get("is_error").is_some();
    let mut block = serde_json::from_value(block).map_err(|error| wrong(at, error.to_string()))?;
    if let Block::ToolResult(result) = &mut block {
        result.shape = shape;
        result.says_is_error = says_is_error;
    }
    Ok(block)
}

fn write_block(block: &Block) -> Value {
    match block {
        Block::ToolResult(result) => write_result(result),
        other => json!(other),
    }
}

fn write_result(result: &ToolResultBlock) -> Value {
    let mut fields: Map<String, Value> = result.extra.clone();
    fields.insert("type".to_owned(), json!("tool_result"));
    fields.insert("tool_use_id".to_owned(), json!(result.call_id));
    let content = match (result.content.as_slice(), result.shape) {
        ([], Shape::Missing) => None,
        ([Block::Text(only)], Shape::Text) if only.extra.is_empty() => Some(json!(only.text)),
        (blocks, _) => Some(json!(blocks)),
    };
    fields.extend(content.map(|content| ("content".to_owned(), content)));
    if result.is_error || result.says_is_error {
        fields.insert("is_error".to_owned(), json!(result.is_error));
    }
    Value::Object(fields)
}
