//! The required fields of known block types. They apply to incoming JSON and to what hooks leave.

use serde_json::{Map, Value};

use super::block::Block;
use super::extra;
use super::violation::Violation;

/// A field's name, and a check of its value.
type FieldRule = (&'static str, fn(&Value) -> bool);

/// The required field of a block type, or alternatives where providers differ.
struct BlockForm {
    tag: &'static str,
    fields: &'static [FieldRule],
    /// The requirement in words, for messages.
    expected: &'static str,
}

const fn form(tag: &'static str, fields: &'static [FieldRule], expected: &'static str) -> BlockForm {
    BlockForm { tag, fields, expected }
}

/// Block types that this crate passes through unchanged but whose format it knows. Unlisted types may have any content.
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

/// Types with their own variant. As `Block::Other`, code that matches on the variant would miss them.
const TYPED: &[&str] = &["text", "tool_use", "tool_result"];

/// Checks a block without a variant of its own.
pub(crate) fn other(block: &Map<String, Value>) -> Result<(), String> {
    let Some(tag) = block.get("type").and_then(Value::as_str) else {
        return Err("a block needs a `type`, a string".to_owned());
    };
    let Some(BlockForm { fields, expected, .. }) = FORMS.iter().find(|form| form.tag == tag) else { return Ok(()) };
    if fields.iter().any(|(field, is)| block.get(*field).is_some_and(is)) {
        return Ok(());
    }
    Err(format!("a block of type `{tag}` needs {expected}"))
}

/// The maximum nesting of tool results. Providers nest none. Much deeper nesting would overflow the stack in code that
/// copies, compares or serializes it.
pub const MAX_NESTED_RESULTS: usize = 32;

/// Checks that a block of type `tag` may appear inside `results` tool results.
pub(crate) fn place(tag: &str, results: usize) -> Result<(), String> {
    if results == 0 {
        return Ok(());
    }
    if tag == "tool_result" && results >= MAX_NESTED_RESULTS {
        return Err(format!("tool results are nested more than {MAX_NESTED_RESULTS} deep"));
    }
    // Blocks of server-side tools are named after the tool, such as `web_search_tool_result`.
    if tag.ends_with("tool_use") || tag.ends_with("_tool_result") {
        return Err(format!(
            "a tool result cannot contain a block of type `{tag}`; write its text, or put the block into a message"
        ));
    }
    Ok(())
}

/// A rule that a block breaks.
struct Malformed {
    rule: String,
    /// Nested too deeply to be compared with the previous content.
    too_deep: bool,
}

impl From<String> for Malformed {
    fn from(rule: String) -> Self {
        Self { rule, too_deep: false }
    }
}

/// `results` is the number of tool results around the block; it bounds the recursion.
fn malformed(block: &Block, results: usize) -> Option<Malformed> {
    let (tag, extra, own): (&str, _, _) = match block {
        Block::Text(text) => ("text", &text.extra, extra::TEXT),
        Block::ToolUse(call) => ("tool_use", &call.extra, extra::CALL),
        Block::ToolResult(result) => ("tool_result", &result.extra, extra::RESULT_BLOCK),
        Block::Other(Value::Object(fields)) => return malformed_other(fields, results).map(Malformed::from),
        Block::Other(_) => return Some("a block is an object with a `type`".to_owned().into()),
    };
    if let Err(rule) = place(tag, results) {
        return Some(Malformed { rule, too_deep: results >= MAX_NESTED_RESULTS });
    }
    if let Some(name) = own.iter().find(|name| extra.contains_key(**name)) {
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
        tag => place(tag.unwrap_or_default(), results).and_then(|()| other(fields)).err(),
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
    match wrong.find(|(block, fault)| fault.too_deep || !old.contains(block)) {
        None => Ok(()),
        Some((_, fault)) => Err(Violation::new(fault.rule)),
    }
}
