//! What the store never gets to see.

use hooks_core::data::Message;
use hooks_core::hook;
use serde_json::Value;

use crate::mask;

/// Masks e-mail addresses and birth dates in every message that is stored: prose, results of tools, and the arguments of
/// stored calls.
///
/// The tools themselves still get the real arguments: what a call runs with goes through `before_tool_call`, which this
/// hook is not at.
#[hook(id = "redact_pii", kind = before_create_message)]
pub fn redact_pii(row: &mut Message) {
    row.rewrite_text(mask::personal);
    // A provider's own fields are stored too: the `name` of a speaker, a `refusal`.
    let clean = row.extra.iter().filter_map(|(field, value)| Some((field.clone(), masked(value)?)));
    let clean: Vec<(String, Value)> = clean.collect();
    if !clean.is_empty() {
        row.extra.extend(clean);
    }
}

/// `value` with its strings masked; `None` where there is nothing to mask. Keys stay.
fn masked(value: &Value) -> Option<Value> {
    // Most are `null` or a short word; whole values go the way that tool results go.
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(text) => mask::personal(text).map(Value::String),
        Value::Array(_) | Value::Object(_) => serde_json::from_str(&mask::personal(&value.to_string())?).ok(),
    }
}
