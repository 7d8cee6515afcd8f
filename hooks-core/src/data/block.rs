use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::extra;
use super::openai::Shape;
use super::reading::{self, result_content};
use super::tool::ToolCall;

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

impl From<String> for Block {
    fn from(text: String) -> Self {
        Self::Text(TextBlock { text, extra: Map::new() })
    }
}

impl From<&str> for Block {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

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

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        reading::block(Value::deserialize(deserializer)?, 0).map_err(D::Error::custom)
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
