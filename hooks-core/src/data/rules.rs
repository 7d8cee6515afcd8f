//! The required fields of known block types, and where blocks may be nested. They apply to incoming JSON and to what
//! hooks leave.

use serde_json::{Map, Value};

/// A field's name, and a check of its value.
type FieldRule = (&'static str, fn(&Value) -> bool);

/// Block types that this crate passes through unchanged but whose format it knows: the required field, or alternatives
/// where providers differ, and the requirement in words. Unlisted types may have any content.
const FORMS: &[(&str, &[FieldRule], &str)] = &[
    ("image", &[("source", Value::is_object), ("data", Value::is_string)], "`source`, an object"),
    ("document", &[("source", Value::is_object)], "`source`, an object"),
    ("thinking", &[("thinking", Value::is_string)], "`thinking`, a string"),
    ("redacted_thinking", &[("data", Value::is_string)], "`data`, a string"),
    ("image_url", &[("image_url", Value::is_object)], "`image_url`, an object"),
    ("input_audio", &[("input_audio", Value::is_object)], "`input_audio`, an object"),
    ("refusal", &[("refusal", Value::is_string)], "`refusal`, a string"),
    ("server_tool_use", &[("id", Value::is_string)], "`id`, a string"),
    ("web_search_tool_result", &[("tool_use_id", Value::is_string)], "`tool_use_id`, a string"),
];

/// Checks a block without a variant of its own.
pub(crate) fn other(block: &Map<String, Value>) -> Result<(), String> {
    let Some(tag) = block.get("type").and_then(Value::as_str) else {
        return Err("a block needs a `type`, a string".to_owned());
    };
    let Some((_, fields, expected)) = FORMS.iter().find(|(known, ..)| *known == tag) else { return Ok(()) };
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
