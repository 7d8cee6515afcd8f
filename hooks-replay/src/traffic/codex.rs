//! Rollouts of Codex: `{"type": "response_item", "payload": {"type": "function_call" | …}}`.

use hook_sdk::data::ToolCall;
use serde_json::Value;

use super::{Conversation, by_person, input, text};
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
            // The program adds its texts as items of their own.
            let content = payload.get("content")?;
            let items = content.as_array().into_iter().flatten().filter_map(|item| item.get("text")?.as_str());
            let texts = content.as_str().into_iter().chain(items);
            let said = texts.filter_map(by_person).collect::<Vec<_>>().join("\n");
            (!said.is_empty()).then(|| conversation.prompt(&said))
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

/// The output of a tool, and whether the tool failed: a text, an object, or either as the text that Codex writes around it.
fn output(value: &Value) -> (String, bool) {
    let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    // Other JSON is what the tool wrote, whatever it says about success.
    let wrapped = parsed.filter(|parsed| parsed.pointer("/metadata/exit_code").is_some());
    let object = wrapped.as_ref().unwrap_or(value);
    let said = object.get("output").or_else(|| object.get("content")).map_or_else(|| text(value), text);
    let success = object.get("success").and_then(Value::as_bool);
    let status = || Some(object.pointer("/metadata/exit_code")?.as_i64() == Some(0));
    let is_success = success.or_else(status).or_else(|| Some(status_of(&said)? == "0"));
    (said, is_success == Some(false))
}

/// The exit status in the lines that Codex writes before the output of a command.
fn status_of(text: &str) -> Option<&str> {
    let (head, _) = text.split_once("\nOutput:")?;
    let status =
        |line| ["Exit code: ", "Process exited with code "].into_iter().find_map(|said| str::strip_prefix(line, said));
    // What a command writes has no such time above it.
    head.lines().find(|line| line.starts_with("Wall time: ")).and_then(|_| head.lines().take(6).find_map(status))
}
