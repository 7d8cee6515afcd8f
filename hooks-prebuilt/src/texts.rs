//! Every text of a message or a result: text blocks, results, the inputs of calls, and blocks that only a provider knows.

use hook_sdk::data::{Block, Message, Messages, ResultRow, ToolInput, ToolResult};
use serde_json::{Map, Value};

use crate::json::{self, Edit};

/// Rewrites content and unknown fields. Writing copies what is shared, so it does not if nothing changed.
macro_rules! rewrite_in {
    ($target:expr, $edit:expr) => {{
        if let Some(content) = blocks(&$target.content, $edit) {
            $target.content = content;
        }
        if let Some(extra) = object(&$target.extra, $edit) {
            $target.extra = extra;
        }
    }};
}

/// Rewrites the texts of a message.
pub(crate) fn of_message(message: &mut Message, edit: Edit<'_>) {
    rewrite_in!(message, edit);
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
    rewrite_in!(result, edit);
    for at in 0..result.additional_context.len() {
        if let Some(text) = json::rewrite("", &result.additional_context[at], edit) {
            result.additional_context[at] = text;
        }
    }
}

/// Rewrites the texts of a result that is stored.
pub(crate) fn of_row(row: &mut ResultRow, edit: Edit<'_>) {
    rewrite_in!(row, edit);
}

/// The text blocks of a model's answer rewritten; `None` if nothing changed. The inputs of its calls stay.
pub(crate) fn of_answer(blocks: &[Block], edit: Edit<'_>) -> Option<Vec<Block>> {
    rewritten(blocks, |one| matches!(one, Block::Text(_) | Block::Other(_)).then(|| block(one, edit))?)
}

/// The blocks with their texts rewritten; `None` if nothing changed.
fn blocks(blocks: &[Block], edit: Edit<'_>) -> Option<Vec<Block>> {
    rewritten(blocks, |one| block(one, edit))
}

fn rewritten(blocks: &[Block], edit: impl FnMut(&Block) -> Option<Block>) -> Option<Vec<Block>> {
    let edits: Vec<Option<Block>> = blocks.iter().map(edit).collect();
    let changes = edits.iter().any(Option::is_some);
    changes.then(|| blocks.iter().zip(edits).map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect())
}

fn block(block: &Block, edit: Edit<'_>) -> Option<Block> {
    match block {
        Block::Text(text) => {
            // The key that a text of an agent program's result stands under.
            let field = text.extra.get("field").and_then(Value::as_str).unwrap_or_default();
            let (new, extra) = (json::rewrite(field, &text.text, edit), object(&text.extra, edit));
            let is_changed = new.is_some() || extra.is_some();
            let mut text = is_changed.then(|| text.clone())?;
            text.text = new.unwrap_or(text.text);
            // Such as the texts that citations quote.
            text.extra = extra.unwrap_or(text.extra);
            Some(Block::Text(text))
        }
        Block::ToolUse(call) => {
            let (input, extra) = (input(&call.input, edit), object(&call.extra, edit));
            let is_changed = input.is_some() || extra.is_some();
            let mut call = is_changed.then(|| call.clone())?;
            call.input = input.unwrap_or(call.input);
            call.extra = extra.unwrap_or(call.extra);
            Some(Block::ToolUse(call))
        }
        Block::ToolResult(result) => {
            let mut new = result.clone();
            rewrite_in!(new, edit);
            (new != *result).then_some(Block::ToolResult(new))
        }
        Block::Other(other) => value(other, edit).map(Block::Other),
        _ => None,
    }
}

/// The input of a call with its texts rewritten.
fn input(input: &ToolInput, edit: Edit<'_>) -> Option<ToolInput> {
    json::rewrite("", &input.text(), edit).map(ToolInput::parse)
}

fn value(value: &Value, edit: Edit<'_>) -> Option<Value> {
    serde_json::from_str(&json::rewrite("", &value.to_string(), edit)?).ok()
}

pub(crate) fn object(fields: &Map<String, Value>, edit: Edit<'_>) -> Option<Map<String, Value>> {
    if fields.is_empty() {
        return None;
    }
    match value(&Value::Object(fields.clone()), edit)? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}
