//! Rollouts of Codex: `{"type": "response_item", "payload": {"type": "function_call" | …}}`.

use hook_sdk::data::ToolCall;
use serde_json::Value;

use super::{Conversation, input, text};
use crate::line::DispatchLine;

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let payload = value.get("payload")?;
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    if value.get("type")?.as_str()? == "session_meta" {
        conversation.named(field("id"), field("cwd"));
        return Some(Vec::new());
    }
    if value.get("type")?.as_str()? != "response_item" {
        return Some(Vec::new());
    }
    let line = match field("type")? {
        "message" if field("role") == Some("user") => {
            Some(conversation.prompt(&payload.get("content").map(text).unwrap_or_default()))
        }
        "function_call" => {
            Some(conversation.call(ToolCall::new(field("call_id")?, field("name")?, input(payload.get("arguments")))))
        }
        "custom_tool_call" => {
            let arguments = serde_json::json!({ "input": payload.get("input") });
            Some(conversation.call(ToolCall::new(field("call_id")?, field("name")?, arguments)))
        }
        "local_shell_call" => {
            Some(conversation.call(ToolCall::new(field("call_id")?, "local_shell", input(payload.get("action")))))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let (said, failed) = output(payload.get("output")?);
            conversation.result(field("call_id")?, &said, failed)
        }
        _ => None,
    };
    Some(line.into_iter().collect())
}

/// The output of a tool: a text, or an object or its text with an exit status.
fn output(value: &Value) -> (String, bool) {
    let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let object = parsed.as_ref().unwrap_or(value);
    let failed = match (object.get("success").and_then(Value::as_bool), object.pointer("/metadata/exit_code")) {
        (Some(success), _) => !success,
        (None, Some(status)) => status.as_i64() != Some(0),
        (None, None) => false,
    };
    let said = object.get("output").or_else(|| object.get("content"));
    (said.map_or_else(|| text(value), text), failed)
}
