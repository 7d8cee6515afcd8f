//! The result of a call between MCP and hooks.

use hook_sdk::data::{Block, ToolResult};
use serde_json::{Map, Value, json};

/// A key of text blocks that stand for something else while hooks see them, and what that is: [`STRUCTURED`],
/// [`REPEATED`], or the block of an embedded resource whose text it is.
const STANDS_FOR: &str = "mcp_stands_for";
/// The structured content alone.
const STRUCTURED: &str = "structured";
/// Structured content that the server repeats in this text.
const REPEATED: &str = "repeated";

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
    let (mut content, mut structured) = (Vec::new(), None);
    for block in &left.content {
        let Block::Text(text) = block else {
            content.push(json!(block));
            continue;
        };
        let mut text = text.clone();
        match text.extra.remove(STANDS_FOR) {
            Some(Value::String(part)) => {
                structured = serde_json::from_str(&text.text).ok();
                if part == REPEATED {
                    content.push(json!(Block::Text(text)));
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
    // Whoever has a schema for the structure does not read a result without one.
    if structured.is_none() && server.is_some_and(|server| server.contains_key("structuredContent")) {
        let texts = content.iter().filter_map(|block| block["text"].as_str());
        structured = texts.filter_map(|text| serde_json::from_str(text).ok()).find(Value::is_object);
    }
    content.extend(left.additional_context.iter().map(|text| json!({"type": "text", "text": text})));
    let mut written = Map::new();
    let is_complete = server.and_then(|server| server.get("resultType")).is_some_and(|form| form == "complete");
    written.extend(is_complete.then(|| ("resultType".to_owned(), "complete".into())));
    written.insert("content".to_owned(), content.into());
    written.extend(structured.map(|value: Value| ("structuredContent".to_owned(), value)));
    if left.is_error {
        written.insert("isError".to_owned(), true.into());
    }
    written
}
