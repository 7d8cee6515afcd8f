//! What a block of a known type must have, for JSON that comes in and for what hooks leave.

use serde_json::{Map, Value};

use super::block::Block;
use super::violation::Violation;

/// A field by its name, and what it must be.
type FieldRule = (&'static str, fn(&Value) -> bool);

/// The form of a type of blocks: the field that must be there, one of several where providers differ.
struct BlockForm {
    tag: &'static str,
    fields: &'static [FieldRule],
    /// The same in words.
    expected: &'static str,
}

const fn form(tag: &'static str, fields: &'static [FieldRule], expected: &'static str) -> BlockForm {
    BlockForm { tag, fields, expected }
}

/// Types of blocks that this crate passes on as they are but whose form it knows. Types that are not listed pass whatever
/// they hold.
const FORMS: &[BlockForm] = &[
    form("image", &[("source", Value::is_object), ("data", Value::is_string)], "`source`, an object"),
    form("document", &[("source", Value::is_object)], "`source`, an object"),
    form("thinking", &[("thinking", Value::is_string)], "`thinking`, a string"),
    form("redacted_thinking", &[("data", Value::is_string)], "`data`, a string"),
    form("image_url", &[("image_url", Value::is_object)], "`image_url`, an object"),
    form("input_audio", &[("input_audio", Value::is_object)], "`input_audio`, an object"),
    form("refusal", &[("refusal", Value::is_string)], "`refusal`, a string"),
    form("server_tool_use", &[("id", Value::is_string)], "`id`, a string"),
    form("web_search_tool_result", &[("tool_use_id", Value::is_string)], "`tool_use_id`, a string"),
];

/// Types that have a variant of their own; as a plain value they would not be seen by those who look for them.
const TYPED: &[&str] = &["text", "tool_use", "tool_result"];

/// What is wrong with a block of another type.
pub(crate) fn other(block: &Map<String, Value>) -> Result<(), String> {
    let Some(tag) = block.get("type").and_then(Value::as_str) else {
        return Err("a block has a `type`, a string".to_owned());
    };
    let Some(BlockForm { fields, expected, .. }) = FORMS.iter().find(|form| form.tag == tag) else { return Ok(()) };
    if fields.iter().any(|(field, is)| block.get(*field).is_some_and(is)) {
        return Ok(());
    }
    Err(format!("a block of the type `{tag}` needs {expected}"))
}

fn malformed(block: &Block) -> Option<String> {
    match block {
        Block::Other(Value::Object(fields)) => match fields.get("type").and_then(Value::as_str) {
            Some(tag) if TYPED.contains(&tag) => Some(format!("a block of the type `{tag}` has a variant of its own")),
            _ => other(fields).err(),
        },
        Block::Other(_) => Some("a block is an object with a `type`".to_owned()),
        Block::ToolResult(result) => result.content.iter().find_map(malformed),
        Block::Text(_) | Block::ToolUse(_) => None,
    }
}

/// Malformed blocks of `after` that `before` did not have: nobody is blamed for what was there already.
pub(crate) fn blocks<'a>(
    before: impl IntoIterator<Item = &'a Block>,
    after: impl IntoIterator<Item = &'a Block>,
) -> Result<(), Violation> {
    let mut wrong = after.into_iter().filter_map(|block| Some((block, malformed(block)?))).peekable();
    if wrong.peek().is_none() {
        return Ok(());
    }
    let old: Vec<&Block> = before.into_iter().filter(|block| malformed(block).is_some()).collect();
    match wrong.find(|(block, _)| !old.contains(block)) {
        None => Ok(()),
        Some((_, rule)) => Err(Violation::new(rule)),
    }
}
