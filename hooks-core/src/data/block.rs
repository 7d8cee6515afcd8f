use std::borrow::Cow;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::call::ToolCall;
use super::{extra, rules};
use crate::tables::conversions;

/// A content block of a message. Blocks of unknown types are preserved unchanged.
///
/// ```
/// use hook_sdk::data::Block;
///
/// let known: Block = serde_json::from_str(r#"{"type":"text","text":"hello","cache":true}"#)?;
/// let unknown: Block = serde_json::from_str(r#"{"type":"hologram","beam":7}"#)?;
/// assert!(matches!(known, Block::Text(_)) && matches!(unknown, Block::Other(_)));
/// assert_eq!(serde_json::to_value(&unknown)?, serde_json::json!({"type": "hologram", "beam": 7}));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// A text block.
    Text(TextBlock),
    /// The model calls a tool.
    ToolUse(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResultBlock),
    /// A block of any other type, kept as JSON.
    #[serde(untagged)]
    Other(Value),
}

/// How a provider wrote the content of a message or of a result, so that it is written the same way again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As a string, or not parsed from a provider's JSON.
    #[default]
    Text,
    Missing,
    Null,
    Parts,
}

/// A text block of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Provider fields that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_text")]
    pub extra: Map<String, Value>,
}

/// The result of a tool call, as a block of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResultBlock {
    /// The id of the call that this result answers.
    #[serde(rename = "tool_use_id")]
    pub call_id: String,
    /// The tool's name, if the provider repeats it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The content of the result.
    #[serde(default, deserialize_with = "result_content")]
    pub content: Vec<Block>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Provider fields that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_result_block")]
    pub extra: Map<String, Value>,
    /// Whether the provider wrote the content as a string or a list, so that it is written the same way again.
    #[serde(skip)]
    pub(crate) shape: Shape,
    /// Whether the provider's JSON contained `is_error`.
    #[serde(skip)]
    pub(crate) says_is_error: bool,
}

impl ToolResultBlock {
    /// Creates the result of the call `call_id`.
    pub fn new(call_id: impl Into<String>, content: Vec<Block>) -> Self {
        let mut block = Self::default();
        block.call_id = call_id.into();
        block.content = content;
        block
    }

    /// The same result with other content.
    fn with_content(&self, content: Vec<Block>) -> Self {
        Self {
            call_id: self.call_id.clone(),
            name: self.name.clone(),
            content,
            is_error: self.is_error,
            extra: self.extra.clone(),
            shape: self.shape,
            says_is_error: self.says_is_error,
        }
    }
}

conversions!(Block {
    String => |text| Self::Text(TextBlock { text, extra: Map::new() }),
    &str => |text| text.to_owned().into(),
});

impl Block {
    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// Returns the block with each of its texts rewritten by `edit`, or `None` if nothing changed. Text blocks, tool
    /// results and the inputs of tool calls count as text. Blocks of unknown types are left alone.
    pub(crate) fn rewritten(&self, edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<Self> {
        match self {
            Self::Text(block) => {
                edit(&block.text).map(|text| Self::Text(TextBlock { text, extra: block.extra.clone() }))
            }
            Self::ToolUse(call) => {
                let input = call.input.rewritten(edit)?;
                Some(Self::ToolUse(ToolCall { input, ..call.clone() }))
            }
            Self::ToolResult(block) => {
                let content = rewritten(&block.content, edit)?;
                Some(Self::ToolResult(block.with_content(content)))
            }
            Self::Other(_) => None,
        }
    }
}

/// Returns the blocks with each text rewritten by `edit`, or `None` if nothing changed.
pub(crate) fn rewritten(blocks: &[Block], edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<Vec<Block>> {
    let edits: Vec<Option<Block>> = blocks.iter().map(|block| block.rewritten(edit)).collect();
    edits
        .iter()
        .any(Option::is_some)
        .then(|| blocks.iter().zip(edits).map(|(block, edit)| edit.unwrap_or_else(|| block.clone())).collect())
}

/// The text of a message or a result: its text blocks, joined by line breaks.
pub(crate) fn text(blocks: &[Block]) -> Cow<'_, str> {
    let mut texts = blocks.iter().filter_map(Block::as_text);
    let first = texts.next().unwrap_or_default();
    match texts.next() {
        None => Cow::Borrowed(first),
        Some(second) => Cow::Owned([first, second].into_iter().chain(texts).collect::<Vec<_>>().join("\n")),
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        block(Value::deserialize(deserializer)?, 0).map_err(D::Error::custom)
    }
}

impl Drop for ToolResultBlock {
    /// Drops level by level: the recursive drop of blocks that are nested thousands deep would overflow the stack.
    fn drop(&mut self) {
        if !self.content.iter().any(|block| matches!(block, Block::ToolResult(_))) {
            return;
        }
        let mut waiting = std::mem::take(&mut self.content);
        while let Some(block) = waiting.pop() {
            if let Block::ToolResult(mut inner) = block {
                waiting.append(&mut inner.content);
            }
        }
    }
}

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
fn block(value: Value, results: usize) -> Result<Block, String> {
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
