//! Transcripts of Claude Code: `{"type": "assistant" | "user", "sessionId": …, "cwd": …, "message": {…}}`.
//!
//! Lines of a sub-agent (`isSidechain`) contain calls like any other, but its prompt was written by an agent.

use serde_json::Value;

use super::{Conversation, input, text};
use crate::line::DispatchLine;

/// The fields that mark a user message which no person wrote.
const NO_PERSON: [&str; 3] = ["isMeta", "isSidechain", "isCompactSummary"];

/// Prefixes of user messages that the program wrote: its own commands, their output, a cancellation.
const WRITTEN: [&str; 5] =
    ["<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted by user"];

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let message = value.get("message")?;
    let kind = value.get("type")?.as_str().filter(|kind| matches!(*kind, "assistant" | "user"))?;
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    conversation.named(field("sessionId"), field("cwd"));
    let content = message.get("content")?;
    let is_person = kind == "user" && !NO_PERSON.iter().any(|mark| value.get(mark) == Some(&Value::Bool(true)));
    let is_prompt = |text: &&str| is_person && !WRITTEN.iter().any(|written| text.trim_start().starts_with(written));
    let Some(blocks) = content.as_array() else {
        return Some(content.as_str().filter(is_prompt).map(|text| conversation.prompt(text)).into_iter().collect());
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
            Some("text") => lines.extend(field("text").filter(is_prompt).map(|text| conversation.prompt(text))),
            _ => {}
        }
    }
    Some(lines)
}
