//! Checks the blocks that a hook leaves.

use serde_json::{Map, Value};

use super::block::Block;
use super::extra;
use super::rules::{self, MAX_NESTED_RESULTS};
use super::violation::Violation;

/// Types with their own variant. As `Block::Other`, code that matches on the variant would miss them.
const TYPED: &[&str] = &["text", "tool_use", "tool_result"];

/// A rule that a block breaks.
struct BlockError {
    rule: String,
    /// Nested too deeply to be compared with the previous content.
    too_deep: bool,
}

impl From<String> for BlockError {
    fn from(rule: String) -> Self {
        Self { rule, too_deep: false }
    }
}

/// `results` is the number of tool results around the block; it bounds the recursion.
fn malformed(block: &Block, results: usize) -> Option<BlockError> {
    let (tag, extra, known): (&str, _, _) = match block {
        Block::Text(text) => ("text", &text.extra, extra::TEXT),
        Block::ToolUse(call) => ("tool_use", &call.extra, extra::CALL),
        Block::ToolResult(result) => ("tool_result", &result.extra, extra::RESULT_BLOCK),
        Block::Other(Value::Object(fields)) => return malformed_other(fields, results).map(BlockError::from),
        Block::Other(_) => return Some("a block is an object with a `type`".to_owned().into()),
    };
    if let Err(rule) = rules::place(tag, results) {
        return Some(BlockError { rule, too_deep: results >= MAX_NESTED_RESULTS });
    }
    if let Some(name) = known.iter().find(|name| extra.contains_key(**name)) {
        return Some(
            format!("`extra` of a block of type `{tag}` contains `{name}`, which is a field of the block").into(),
        );
    }
    let Block::ToolResult(result) = block else { return None };
    result.content.iter().find_map(|block| malformed(block, results + 1))
}

fn malformed_other(fields: &Map<String, Value>, results: usize) -> Option<String> {
    match fields.get("type").and_then(Value::as_str) {
        Some(tag) if TYPED.contains(&tag) => {
            Some(format!("a block of type `{tag}` must be its own variant of `Block`, not `Block::Other`"))
        }
        tag => rules::place(tag.unwrap_or_default(), results).and_then(|()| rules::other(fields)).err(),
    }
}

/// Checks the blocks of messages. Blocks that were already malformed in `before` are not violations.
pub(crate) fn blocks<'a>(
    before: impl IntoIterator<Item = &'a Block>,
    after: impl IntoIterator<Item = &'a Block>,
) -> Result<(), Violation> {
    check(before, after, 0)
}

/// Checks the content of a tool result in the same way.
pub(crate) fn answer(before: &[Block], after: &[Block]) -> Result<(), Violation> {
    check(before, after, 1)
}

fn check<'a>(
    before: impl IntoIterator<Item = &'a Block>,
    after: impl IntoIterator<Item = &'a Block>,
    results: usize,
) -> Result<(), Violation> {
    let mut wrong = after.into_iter().filter_map(|block| Some((block, malformed(block, results)?))).peekable();
    if wrong.peek().is_none() {
        return Ok(());
    }
    let old: Vec<&Block> = before.into_iter().filter(|block| malformed(block, results).is_some()).collect();
    match wrong.find(|(block, error)| error.too_deep || !old.contains(block)) {
        None => Ok(()),
        Some((_, error)) => Err(Violation::new(error.rule)),
    }
}
