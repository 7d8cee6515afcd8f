//! The result of a call between MCP and hooks.

use hook_sdk::data::{Block, ToolResult};
use serde_json::{Map, Value, json};

/// A key of text blocks that stand for something else while hooks see them, and what that is: [`STRUCTURED`],
/// [`REPEATED`], [`REST`], or the block of an embedded resource whose text it is.
const STANDS_FOR: &str = "mcp_stands_for";
/// The structured content alone.
const STRUCTURED: &str = "structured";
/// Structured content that the server repeats in this text.
const REPEATED: &str = "repeated";
/// What the result has beside all that, such as `_meta`.
const REST: &str = "rest";

/// The keys of a result that are not [`REST`].
const SEEN: [&str; 4] = ["content", "isError", "resultType", "structuredContent"];

/// The result as hooks see it.
pub(crate) fn shown(result: &Map<String, Value>) -> Result<ToolResult, String> {
    let structured = result.get("structuredContent");
    let mut blocks: Vec<Value> = match result.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        None if structured.is_some() => Vec::new(),
        _ => return Err("its content is no list".to_owned()),
    };
    if let Some(structured) = structured {
        let says = |block: &&mut Value| {
            let text = block["text"].as_str().filter(|_| block["type"] == "text" && block.get(STANDS_FOR).is_none());
            text.is_some_and(|text| serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured))
        };
        match blocks.iter_mut().find(says) {
            Some(block) => block[STANDS_FOR] = REPEATED.into(),
            None => blocks.push(text(&structured.to_string(), &STRUCTURED.into())),
        }
    }
    let mut rest = result.clone();
    rest.retain(|key, _| !SEEN.contains(&&**key));
    if !rest.is_empty() {
        blocks.push(text(&Value::Object(rest).to_string(), &REST.into()));
    }
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    serde_json::from_value(json!({"content": blocks, "is_error": is_error})).map_err(|error| error.to_string())
}

fn block(value: &Value) -> Value {
    let mut value = value.clone();
    let is_resource = value["type"] == "resource";
    if let Some(Value::String(inner)) = value.pointer_mut("/resource/text").filter(|_| is_resource).map(Value::take) {
        return text(&inner, &value);
    }
    if let Some(fields) = value.as_object_mut() {
        fields.remove(STANDS_FOR);
    }
    value
}

fn text(text: &str, stands_for: &Value) -> Value {
    json!({"type": "text", "text": text, STANDS_FOR: stands_for})
}

/// The result as hooks left it. Of the server's own it has the type, and nothing that hooks did not see.
pub(crate) fn written(server: Option<&Map<String, Value>>, left: &ToolResult) -> Map<String, Value> {
    let said = |key: &str| server.and_then(|server| server.get(key));
    let (mut written, mut content) = (Map::new(), Vec::new());
    let (mut structured, mut structure) = (None, None);
    for block in &left.content {
        let Block::Text(text) = block else {
            content.push(json!(block));
            continue;
        };
        let mut text = text.clone();
        match text.extra.remove(STANDS_FOR) {
            Some(Value::String(part)) if part == REST => {
                written = serde_json::from_str(&text.text).unwrap_or_default();
                written.retain(|key, _| !SEEN.contains(&&**key));
            }
            Some(Value::String(part)) => {
                structured = serde_json::from_str(&text.text).ok();
                if part == REPEATED {
                    content.push(json!(Block::Text(text)));
                } else {
                    structure = Some(json!(Block::Text(text)));
                }
            }
            Some(mut resource) => {
                if let Some(inner) = resource.pointer_mut("/resource/text") {
                    *inner = text.text.into();
                }
                content.push(resource);
            }
            None => content.push(json!(Block::Text(text))),
        }
    }
    let before = said("structuredContent");
    // Whoever has a schema for the structure does not read a result without one.
    if structured.is_none() && (before.is_some() || server.is_none() && !left.is_error) {
        let texts = content.iter().filter_map(|block| block["text"].as_str());
        structured = texts.filter_map(|text| serde_json::from_str(text).ok()).find(Value::is_object);
    }
    let mut is_error = left.is_error;
    if !is_error && before.is_some_and(|before| !structured.as_ref().is_some_and(|now| is_like(before, now))) {
        // Nor one with a structure of another shape, unless it is an error, whose texts are read.
        is_error = true;
        structured = None;
        content.extend(structure);
    }
    content.extend(left.additional_context.iter().map(|text| json!({"type": "text", "text": text})));
    let is_complete = said("resultType").is_some_and(|form| form == "complete");
    written.extend(is_complete.then(|| ("resultType".to_owned(), "complete".into())));
    written.insert("content".to_owned(), content.into());
    written.extend(structured.map(|value: Value| ("structuredContent".to_owned(), value)));
    if is_error || said("isError").is_some_and(Value::is_boolean) {
        written.insert("isError".to_owned(), is_error.into());
    }
    written
}

/// Whether a schema that takes one value is likely to take the other: they have the same keys, and values of the same types.
fn is_like(before: &Value, now: &Value) -> bool {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            let has = |(key, value): (&String, &Value)| now.get(key).is_some_and(|now| is_like(value, now));
            before.len() == now.len() && before.iter().all(has)
        }
        (Value::Array(before), Value::Array(now)) => {
            let of = |at: usize| before.get(at).or(before.first());
            now.iter().enumerate().all(|(at, now)| of(at).is_some_and(|before| is_like(before, now)))
        }
        (Value::Number(before), Value::Number(now)) => before.is_f64() || !now.is_f64(),
        _ => std::mem::discriminant(before) == std::mem::discriminant(now),
    }
}
