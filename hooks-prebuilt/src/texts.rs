//! Every text of a message or a result: text blocks, results, the inputs of calls, and blocks that only a provider knows.

use hook_sdk::data::{Block, Message, Messages, ResultRow, ToolInput, ToolResult};
use serde_json::{Map, Value};

use crate::json::{self, Edit};

/// Rewrites the texts of a message.
pub(crate) fn of_message(message: &mut Message, edit: Edit<'_>) {
    // Writing to a message copies it, so do not write if nothing changed.
    if let Some(content) = blocks(&message.content, edit) {
        message.content = content;
    }
    if let Some(extra) = object(&message.extra, edit) {
        message.extra = extra;
    }
}

/// Rewrites the texts of all messages.
pub(crate) fn of_messages(messages: &mut Messages, edit: Edit<'_>) {
    for at in 0..messages.len() {
        let mut message = messages[at].clone();
        of_message(&mut message, edit);
        if message != messages[at] {
            messages[at] = message;
        }
    }
}

/// Rewrites the texts of a result, and the contexts that follow it.
pub(crate) fn of_result(result: &mut ToolResult, edit: Edit<'_>) {
    if let Some(content) = blocks(&result.content, edit) {
        result.content = content;
    }
    if let Some(extra) = object(&result.extra, edit) {
        result.extra = extra;
    }
    for at in 0..result.additional_context.len() {
        if let Some(text) = json::rewrite(&result.additional_context[at], edit) {
            result.additional_context[at] = text;
        }
    }
}

/// Rewrites the texts of a result that is stored.
pub(crate) fn of_row(row: &mut ResultRow, edit: Edit<'_>) {
    if let Some(content) = blocks(&row.content, edit) {
        row.content = content;
    }
    if let Some(extra) = object(&row.extra, edit) {
        row.extra = extra;
    }
}

/// The text blocks of a model's answer rewritten; `None` if nothing changed. The inputs of its calls stay.
pub(crate) fn of_answer(blocks: &[Block], edit: Edit<'_>) -> Option<Vec<Block>> {
    let mut edit = |one: &Block| matches!(one, Block::Text(_) | Block::Other(_)).then(|| block(one, edit)).flatten();
    let edits: Vec<Option<Block>> = blocks.iter().map(&mut edit).collect();
    replaced(blocks, edits)
}

/// The blocks with their texts rewritten; `None` if nothing changed.
fn blocks(blocks: &[Block], edit: Edit<'_>) -> Option<Vec<Block>> {
    let edits: Vec<Option<Block>> = blocks.iter().map(|one| block(one, edit)).collect();
    replaced(blocks, edits)
}

fn replaced(blocks: &[Block], edits: Vec<Option<Block>>) -> Option<Vec<Block>> {
    let changes = edits.iter().any(Option::is_some);
    changes.then(|| blocks.iter().zip(edits).map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect())
}

fn block(block: &Block, edit: Edit<'_>) -> Option<Block> {
    match block {
        Block::Text(text) => {
            let new = json::rewrite(&text.text, edit)?;
            let mut text = text.clone();
            text.text = new;
            Some(Block::Text(text))
        }
        Block::ToolUse(call) => {
            let input = input(&call.input, edit)?;
            let mut call = call.clone();
            call.input = input;
            Some(Block::ToolUse(call))
        }
        Block::ToolResult(result) => {
            let (content, extra) = (blocks(&result.content, edit), object(&result.extra, edit));
            if content.is_none() && extra.is_none() {
                return None;
            }
            let mut result = result.clone();
            if let Some(content) = content {
                result.content = content;
            }
            if let Some(extra) = extra {
                result.extra = extra;
            }
            Some(Block::ToolResult(result))
        }
        Block::Other(other) => value(other, edit).map(Block::Other),
        _ => None,
    }
}

/// The input of a call with its texts rewritten.
fn input(input: &ToolInput, edit: Edit<'_>) -> Option<ToolInput> {
    json::rewrite(&input.text(), edit).map(ToolInput::parse)
}

fn value(value: &Value, edit: Edit<'_>) -> Option<Value> {
    if !json::touches(value, edit) {
        return None;
    }
    serde_json::from_str(&json::rewrite(&value.to_string(), edit)?).ok()
}

pub(crate) fn object(fields: &Map<String, Value>, edit: Edit<'_>) -> Option<Map<String, Value>> {
    if !fields.iter().any(|(key, value)| edit(key).is_some() || json::touches(value, edit)) {
        return None;
    }
    match value(&Value::Object(fields.clone()), edit) {
        Some(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}
