//! Messages in OpenAI's chat format: one message per line, or one conversation per line.

use hook_sdk::data::{Block, Message, Role};
use serde_json::{Value, json};

use super::{Conversation, text_of};
use crate::line::DispatchLine;

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let Some(messages) = value.get("messages").and_then(Value::as_array) else {
        return message(conversation, value);
    };
    conversation.named(value.get("id").and_then(Value::as_str), None);
    // A message that cannot be read does not hide the others.
    Some(messages.iter().filter_map(|value| message(conversation, value)).flatten().collect())
}

fn message(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let message = Message::from_openai(with_call_ids(value.clone())).ok()?;
    if message.role == Role::User {
        return Some(vec![conversation.prompt(&text_of(&message.content))]);
    }
    let line = |block: &Block| match block {
        Block::ToolUse(call) => Some(conversation.call(call.clone())),
        Block::ToolResult(result) => conversation.result(&result.call_id, &text_of(&result.content), false),
        _ => None,
    };
    Some(message.content.iter().filter_map(line).collect())
}

/// Rewrites the format before `tool_calls`: one call at a time, identified by its name.
fn with_call_ids(mut message: Value) -> Value {
    if message["role"] == "function" {
        message["role"] = json!("tool");
        message["tool_call_id"] = message["name"].clone();
    }
    if message["function_call"].is_object() {
        let function = message["function_call"].take();
        message["tool_calls"] = json!([{"id": function["name"], "type": "function", "function": function}]);
    }
    message
}
