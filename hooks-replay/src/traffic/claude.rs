//! Transcripts of Claude Code: `{"type": "assistant" | "user", "sessionId": …, "cwd": …, "message": {…}}`.

use serde_json::Value;

use super::{Conversation, input, text};
use crate::line::DispatchLine;

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let message = value.get("message")?;
    let kind = value.get("type")?.as_str().filter(|kind| matches!(*kind, "assistant" | "user"))?;
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    conversation.named(field("sessionId"), field("cwd"));
    let content = message.get("content")?;
    let Some(blocks) = content.as_array() else {
        // Lines that the program wrote in the person's name are no prompts.
        let is_prompt = kind == "user" && value.get("isMeta").and_then(Value::as_bool) != Some(true);
        return Some(
            content.as_str().filter(|_| is_prompt).map(|text| conversation.prompt(text)).into_iter().collect(),
        );
    };
    let mut lines = Vec::new();
    for block in blocks {
        let field = |name: &str| block.get(name).and_then(Value::as_str);
        match field("type") {
            Some("tool_use") => {
                if let (Some(id), Some(name)) = (field("id"), field("name")) {
                    lines.push(conversation.call(id, name, &input(block.get("input"))));
                }
            }
            Some("tool_result") => {
                let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
                let said = block.get("content").map(text).unwrap_or_default();
                lines.extend(field("tool_use_id").and_then(|id| conversation.result(id, &said, failed)));
            }
            Some("text") if kind == "user" => lines.extend(field("text").map(|text| conversation.prompt(text))),
            _ => {}
        }
    }
    Some(lines)
}
