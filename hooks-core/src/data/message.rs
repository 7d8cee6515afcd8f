use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::{self, Block, Shape, message_content};
use super::call::ToolCall;
use super::shared::shared;
use super::violation::Violation;
use super::{extra, validation};
use crate::words::closed_words;

shared! {
    /// One message of a conversation.
    ///
    /// ```
    /// use hook_sdk::data::{Message, Role};
    ///
    /// let stored = Message::new(Role::User, "call me at five");
    /// let mut edited = stored.clone(); // one count, no copy
    /// edited.rewrite_text(|text| Some(text.replace("five", "six"))); // copies now
    /// assert_eq!((&*stored.text(), &*edited.text()), ("call me at five", "call me at six"));
    /// ```
    Message(MessageData) in pool
}

/// The data of a [`Message`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageData {
    /// The author of a message.
    pub role: Role,
    /// The content blocks, in order.
    #[serde(default, deserialize_with = "message_content")]
    pub content: Vec<Block>,
    /// Provider fields that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_message")]
    pub extra: Map<String, Value>,
    /// Whether the provider wrote the content as a string or a list, so that it is written the same way again.
    #[serde(skip)]
    pub(crate) shape: Shape,
}

closed_words! {
    /// The author of a message.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Role {
        /// Instructions from the app.
        System = "system",
        /// Instructions from the app, under the name that newer provider APIs use.
        Developer = "developer",
        /// The person.
        #[default]
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool, with the result of a call.
        Tool = "tool",
    }
}

impl Message {
    /// Creates a message with one text block.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::of(role, vec![Block::from(text.into())])
    }

    /// Creates a message from content blocks.
    pub fn of(role: Role, content: Vec<Block>) -> Self {
        MessageData { role, content, ..MessageData::default() }.into()
    }

    /// Checks that blocks of known types are well formed.
    pub(crate) fn check_blocks(before: &Self, after: &Self) -> Result<(), Violation> {
        validation::blocks(&before.content, &after.content)
    }

    /// Checks like [`check_blocks`](Self::check_blocks), and that the row contains the same calls and results as
    /// before: they are about to run or have run already, whatever the row says.
    pub(crate) fn check_row(before: &Self, after: &Self) -> Result<(), Violation> {
        Self::check_blocks(before, after)?;
        if before.ids().eq(after.ids()) {
            return Ok(());
        }
        Err(Violation::new(
            "a row must keep its tool calls with their names, and its results, in order; add, remove or rename a call at `post_model_call`",
        ))
    }

    /// The ids of the message's tool calls, with the names of the tools, and of its tool results.
    fn ids(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some((Some(call.name.as_str()), call.id.as_str())),
            Block::ToolResult(result) => Some((None, result.call_id.as_str())),
            _ => None,
        })
    }

    /// The text of the message: its text blocks, joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        block::text(&self.content)
    }

    /// The message's tool calls.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// Rewrites every text of the message with `edit`: text blocks, tool results, and each string in the inputs of tool
    /// calls. `edit` returns `None` to leave a text as it is. Copies the message only if something changes. Returns
    /// whether anything changed.
    pub fn rewrite_text(&mut self, mut edit: impl FnMut(&str) -> Option<String>) -> bool {
        let content = block::rewritten(&self.content, &mut edit);
        content.map(|content| self.content = content).is_some()
    }
}

impl AsRef<str> for Role {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
