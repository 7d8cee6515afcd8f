use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::extra;
use super::openai::Shape;
use super::reading::{self, result_content};
use super::tool::ToolCall;

/// A piece of a message. Blocks of types this crate does not know pass through whole.
///
/// ```
/// use hooks_core::data::Block;
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
    /// Prose.
    Text(TextBlock),
    /// The model asks for a tool.
    ToolUse(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResultBlock),
    /// A block of another type, as it came.
    #[serde(untagged)]
    Other(Value),
}

/// Prose within a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Fields of the provider that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_text")]
    pub extra: Map<String, Value>,
}

/// A tool's answer within a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResultBlock {
    /// The call that it answers.
    #[serde(rename = "tool_use_id")]
    pub call_id: String,
    /// The tool's name, where the provider repeats it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the tool said.
    #[serde(default, deserialize_with = "result_content")]
    pub content: Vec<Block>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Fields of the provider that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_result_block")]
    pub extra: Map<String, Value>,
    /// How the provider wrote the content, so that it is written the same way again.
    #[serde(skip)]
    pub(crate) shape: Shape,
    /// Whether the provider wrote `is_error` at all.
    #[serde(skip)]
    pub(crate) says_is_error: bool,
}

impl ToolResultBlock {
    /// The answer `content` to the call `call_id`.
    pub fn new(call_id: impl Into<String>, content: Vec<Block>) -> Self {
        let mut block = Self::default();
        block.call_id = call_id.into();
        block.content = content;
        block
    }

    /// The same answer in other words.
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
    /// The prose, if it is some.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// The block with every text of it rewritten by `edit`, or `None` where `edit` left all as they are. Prose, tool
    /// results and the inputs of tool calls count as text; blocks of unknown types are left alone.
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

/// The blocks with every text rewritten by `edit`, or `None` where nothing changed.
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
    /// Level by level: dropped within each other, blocks that are nested thousands deep would overflow the stack.
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
