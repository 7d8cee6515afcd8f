//! The result of a call between MCP and hooks.

use hook_sdk::data::{Block, ToolResult};
use serde_json::{Map, Value, json};

/// A key of blocks that stand for something else while hooks see them, and what that is: [`STRUCTURED`], [`REPEATED`],
/// [`REST`], or the block of an embedded resource whose text it is.
const STANDS_FOR: &str = "mcp_stands_for";
/// The structured content alone.
const STRUCTURED: &str = "structured";
/// Structured content that the server repeats in this text.
const REPEATED: &str = "repeated";
/// What the result has beside all that, such as `_meta`: in a result of its own, so that what rewrites texts rewrites it, and
/// the text of the result is without it.
const REST: &str = "rest";

/// The keys of a result that are not [`REST`].
const SEEN: [&str; 4] = ["content", "isError", "resultType", "structuredContent"];

/// Why hooks cannot read a result, so that a guard withholds it. The text has nothing of the result. `None` if they can, or
/// if it is none yet: a request for more input.
pub fn unreadable(result: &Map<String, Value>) -> Option<String> {
    if asks_for_input(result) { None } else { shown(result).err() }
}

/// Whether the server wants more input, which is no result yet.
pub(crate) fn asks_for_input(result: &Map<String, Value>) -> bool {
    is_of_type(result, "input_required")
}

fn is_of_type(result: &Map<String, Value>, name: &str) -> bool {
    result.get("resultType").is_some_and(|found| found == name)
}

/// The result as hooks see it.
pub(crate) fn shown(result: &Map<String, Value>) -> Result<ToolResult, String> {
    if result.contains_key("task") || is_of_type(result, "task") {
        return Err("the server runs this call as a task".to_owned());
    }
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
        let rest = [json!({"type": "text", "text": Value::Object(rest).to_string()})];
        blocks.push(json!({"type": "tool_result", "tool_use_id": REST, "content": rest, STANDS_FOR: REST}));
    }
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    let read = |blocks: &[Value]| serde_json::from_value(json!({"content": blocks, "is_error": is_error}));
    read(&blocks).map_err(|_| {
        let faulty = blocks.iter().position(|block| read(std::slice::from_ref(block)).is_err());
        format!("block {} of its content is none of a result", faulty.unwrap_or_default() + 1)
    })
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
        let text = match block {
            Block::ToolResult(within) => within.content.iter().find_map(Block::as_text),
            block => block.as_text(),
        };
        let (text, mut block) = (text.unwrap_or_default(), json!(block));
        match block.as_object_mut().and_then(|fields| fields.remove(STANDS_FOR)) {
            Some(Value::String(part)) if part == REST => {
                written = serde_json::from_str(text).unwrap_or_default();
                written.retain(|key, _| !SEEN.contains(&&**key));
            }
            Some(Value::String(part)) => {
                structured = serde_json::from_str(text).ok();
                if part == REPEATED { content.push(block) } else { structure = Some(block) }
            }
            Some(mut resource) => {
                if let Some(inner) = resource.pointer_mut("/resource/text") {
                    *inner = text.into();
                }
                content.push(resource);
            }
            None => content.push(block),
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
