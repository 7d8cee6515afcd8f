use hook_sdk::data::{Block, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Converts a result. Text stays text. Images, audio and resources become blocks in their original form.
pub(super) fn of(answer: CallToolResult) -> ToolResult {
    let mut result = ToolResult::default();
    result.content = answer.content.into_iter().map(block).collect();
    if let Some(structured) = answer.structured_content {
        // Most servers repeat structured content as text. Keep it once.
        let said = |block: &Block| {
            let text: Option<Value> = block.as_text().and_then(|text| serde_json::from_str(text).ok());
            text.as_ref() == Some(&structured)
        };
        if !result.content.iter().any(said) {
            result.content.push(Block::from(structured.to_string()));
        }
    }
    result.is_error = answer.is_error.unwrap_or_default();
    result
}

fn block(content: ContentBlock) -> Block {
    match content {
        ContentBlock::Text(text) => Block::from(text.text),
        other => match serde_json::to_value(other) {
            Ok(value) => Block::Other(value),
            Err(error) => Block::from(format!("[left out, cannot be written as JSON: {error}]")),
        },
    }
}
