//! Messages in OpenAI's chat format: one message per line, or one conversation per line.

use serde_json::Value;

use super::{Conversation, input, text};
use crate::line::DispatchLine;

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let Some(messages) = value.get("messages").and_then(Value::as_array) else {
        return message(conversation, value);
    };
    conversation.named(value.get("id").and_then(Value::as_str), None);
    Some(messages.iter().filter_map(|value| message(conversation, value)).flatten().collect())
}

fn message(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let content = || value.get("content").map(text).unwrap_or_default();
    match value.get("role")?.as_str()? {
        "user" => Some(vec![conversation.prompt(&content())]),
        "tool" => {
            let id = value.get("tool_call_id")?.as_str()?;
            Some(conversation.result(id, &content(), false).into_iter().collect())
        }
        // The format before `tool_calls`: one call at a time, identified by its name.
        "function" => {
            let name = value.get("name")?.as_str()?;
            Some(conversation.result(name, &content(), false).into_iter().collect())
        }
        "assistant" => {
            let calls = value.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let call = |call: &Value| {
                let function = call.get("function")?;
                let (id, name) = (call.get("id")?.as_str()?, function.get("name")?.as_str()?);
                Some(conversation.call(id, name, &input(function.get("arguments"))))
            };
            let mut lines: Vec<_> = calls.iter().filter_map(call).collect();
            if let Some(function) = value.get("function_call").filter(|call| call.is_object()) {
                let name = function.get("name")?.as_str()?;
                lines.push(conversation.call(name, name, &input(function.get("arguments"))));
            }
            Some(lines)
        }
        _ => Some(Vec::new()),
    }
}
