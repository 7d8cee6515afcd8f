//! Deserializes content blocks, in both forms that providers write, and limits their nesting.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::block::{Block, ToolResultBlock};
use super::rules;

/// Deserializes the content of a message: a string or a list of blocks, depending on the provider.
pub(crate) fn message_content<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
    content(Value::deserialize(deserializer)?, 0).map_err(D::Error::custom)
}

/// Deserializes the content of a tool result, in the same two forms.
pub(crate) fn result_content<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
    content(Value::deserialize(deserializer)?, 1).map_err(D::Error::custom)
}

/// `results` is the number of tool results around the content.
fn content(value: Value, results: usize) -> Result<Vec<Block>, String> {
    match value {
        Value::String(text) => Ok(vec![Block::from(text)]),
        Value::Array(blocks) => blocks.into_iter().map(|value| block(value, results)).collect(),
        _ => Err("content is a string or a list of blocks, each with a `type`".to_owned()),
    }
}

/// `results` is the number of tool results around the block.
pub(crate) fn block(value: Value, results: usize) -> Result<Block, String> {
    let Value::Object(mut fields) = value else { return Err("a block is an object with a `type`".to_owned()) };
    let Some(Value::String(tag)) = fields.get("type") else { return Err("missing field `type`".to_owned()) };
    rules::place(tag, results)?;
    match tag.as_str() {
        "text" => typed(fields).map(Block::Text),
        "tool_use" => typed(fields).map(Block::ToolUse),
        "tool_result" => {
            let inner = fields.remove("content").map(|inner| content(inner, results + 1)).transpose()?;
            let mut result: ToolResultBlock = typed(fields)?;
            result.content = inner.unwrap_or_default();
            Ok(Block::ToolResult(result))
        }
        _ => rules::other(&fields).map(|()| Block::Other(Value::Object(fields))),
    }
}

fn typed<T: DeserializeOwned>(mut fields: Map<String, Value>) -> Result<T, String> {
    fields.remove("type");
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}
