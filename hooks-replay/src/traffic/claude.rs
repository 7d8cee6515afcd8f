//! Transcripts of Claude Code: `{"type": "assistant" | "user", "sessionId": …, "cwd": …, "message": {…}}`.
//!
//! Lines of a sub-agent (`isSidechain`) contain calls like any other, but its prompt was written by an agent.

use hook_sdk::data::Block;
use serde::Deserialize;
use serde_json::Value;

use super::{Conversation, by_person, text_of};
use crate::line::DispatchLine;

/// The fields that mark a user message which no person wrote.
const NO_PERSON: [&str; 4] = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"];

pub(super) fn line(conversation: &mut Conversation, value: &Value) -> Option<Vec<DispatchLine>> {
    let message = value.get("message")?;
    let kind = value.get("type")?.as_str().filter(|kind| matches!(*kind, "assistant" | "user"))?;
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    conversation.named(field("sessionId"), field("cwd"));
    let is_person = kind == "user" && !NO_PERSON.iter().any(|mark| value.get(mark) == Some(&Value::Bool(true)));
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
            Block::Text(block) if is_person => {
                lines.extend(by_person(&block.text).map(|text| conversation.prompt(text)));
            }
            _ => {}
        }
    }
    Some(lines)
}
