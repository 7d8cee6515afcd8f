//! Transcripts of Claude Code: `{"type": "assistant" | "user", "sessionId": …, "cwd": …, "message": {…}}`.
//!
//! Lines of a sub-agent (`isSidechain`) contain calls like any other, but its prompt was written by an agent.

use hook_sdk::data::Block;
use serde::Deserialize;
use serde_json::Value;

use super::{Conversation, text_of};
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
    let is_person = kind == "user" && !NO_PERSON.iter().any(|mark| value.get(mark) == Some(&Value::Bool(true)));
    let is_prompt = |text: &str| is_person && !WRITTEN.iter().any(|written| text.trim_start().starts_with(written));
    let blocks: Vec<Block> = match message.get("content")? {
        Value::String(text) => vec![text.as_str().into()],
        // A block that cannot be read does not hide the others.
        Value::Array(blocks) => blocks.iter().filter_map(|block| Block::deserialize(block).ok()).collect(),
        _ => Vec::new(),
    };
    let mut lines = Vec::new();
    for block in blocks {
        match block {
            Block::ToolUse(call) => lines.push(conversation.call(call)),
            Block::ToolResult(result) => {
                lines.extend(conversation.result(&result.call_id, &text_of(&result.content), result.is_error));
            }
            Block::Text(block) if is_prompt(&block.text) => lines.push(conversation.prompt(&block.text)),
            _ => {}
        }
    }
    Some(lines)
}
