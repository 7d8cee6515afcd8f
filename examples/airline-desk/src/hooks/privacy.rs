//! Masks personal data before it is stored.

use hook_sdk::data::{Block, Message};
use hook_sdk::hook;
use serde_json::Value;

use crate::mask::Masks;

/// Masks e-mail addresses and birth dates in every stored message: text, tool results, and the arguments of stored
/// calls.
///
/// The tools themselves get the real arguments, because their input is the subject of `before_tool_call`. The hook is
/// required: a message that cannot be masked is not stored.
#[hook(id = "redact_pii", kind = before_create_message, on_failure = required)]
pub(crate) fn redact_pii(row: &mut Message) -> Result<(), regex::Error> {
    let masks = Masks::get()?;
    row.rewrite_text(|text| masks.personal(text));
    // Fields of the provider are stored too, such as the `name` of a speaker or a `refusal`.
    let masked = |(field, value): (&String, &Value)| Some((field.clone(), masked(masks, value)?));
    let edits: Vec<(String, Value)> = row.extra.iter().filter_map(masked).collect();
    // Writing to a row copies it, so do not write if there is nothing to mask.
    if !edits.is_empty() {
        row.extra.extend(edits);
    }
    let extra_fields = |block: &Block| match block {
        Block::ToolResult(result) => result.extra.iter().filter_map(masked).collect(),
        _ => Vec::new(),
    };
    let edits: Vec<Vec<(String, Value)>> = row.content.iter().map(extra_fields).collect();
    if edits.iter().any(|edits| !edits.is_empty()) {
        for (block, edits) in row.content.iter_mut().zip(edits) {
            if let Block::ToolResult(result) = block {
                result.extra.extend(edits);
            }
        }
    }
    Ok(())
}

/// `value` with its strings masked, except for keys. `None` if there is nothing to mask.
fn masked(masks: &Masks, value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(text) => masks.personal(text).map(Value::String),
        Value::Array(_) | Value::Object(_) => serde_json::from_str(&masks.personal(&value.to_string())?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::redact_pii;
    use hook_sdk::data::Message;
    use serde_json::json;

    #[test]
    fn every_part_of_a_stored_message_is_masked() {
        let wire = json!({
            "role": "assistant", "content": "Mail ann@desk.example.", "name": "ann@desk.example", "refusal": null,
            "annotations": [{"born": "1990-04-05", "seen": "2031-04-05"}],
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{\"dob\": \"1990-04-05\"}"}}],
        });
        let mut row = Message::from_openai(wire).unwrap();
        redact_pii(&mut row).unwrap();
        let expected = json!({
            "role": "assistant", "content": "Mail [email].", "name": "[email]", "refusal": null,
            "annotations": [{"born": "[birth date]", "seen": "2031-04-05"}],
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{\"dob\": \"[birth date]\"}"}}],
        });
        assert_eq!(row.to_openai(), [expected]);
    }
}
