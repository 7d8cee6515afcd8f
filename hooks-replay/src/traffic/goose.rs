//! Sessions of goose: messages whose content has `toolRequest` and `toolResponse`.

use hook_sdk::data::ToolCall;
use serde_json::Value;

use super::{Conversation, input, text};
use crate::line::DispatchLine;

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    if let Some(folder) = value.get("working_dir").and_then(Value::as_str) {
        conversation.named(value.get("id").and_then(Value::as_str), Some(folder));
        return Some(Vec::new());
    }
    // This field distinguishes its messages from those of other programs.
    value.get("created")?;
    let blocks = value.get("content")?.as_array()?;
    let is_person = value.get("role")?.as_str()? == "user";
    let mut lines = Vec::new();
    for block in blocks {
        let field = |name: &str| block.get(name).and_then(Value::as_str);
        let value = |name: &str| block.get(name).and_then(|outcome| outcome.get("value"));
        match field("type") {
            Some("toolRequest") => {
                let name = value("toolCall").and_then(|call| call.get("name")?.as_str());
                if let (Some(id), Some(name)) = (field("id"), name) {
                    let input = input(value("toolCall").and_then(|call| call.get("arguments")));
                    lines.push(conversation.call(ToolCall::new(id, name, input)));
                }
            }
            Some("toolResponse") => {
                let outcome = block.get("toolResult");
                let error = outcome.and_then(|outcome| outcome.get("error"));
                let said = error.or_else(|| {
                    let value = value("toolResult")?;
                    Some(value.get("content").unwrap_or(value))
                });
                let said = said.map(text).unwrap_or_default();
                lines.extend(field("id").and_then(|id| conversation.result(id, &said, error.is_some())));
            }
            Some("text") if is_person => lines.extend(field("text").map(|text| conversation.prompt(text))),
            _ => {}
        }
    }
    Some(lines)
}
