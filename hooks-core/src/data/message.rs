use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::{Block, rewritten};
use super::extra;
use super::openai::Shape;
use super::reading::message_content;
use super::rules;
use super::shared::shared;
use super::tool::ToolCall;
use super::violation::Violation;
use crate::words::closed_words;

shared! {
    /// One message of a conversation.
    ///
    /// ```
    /// use hooks_core::data::{Message, Role};
    ///
    /// let stored = Message::new(Role::User, "call me at five");
    /// let mut edited = stored.clone(); // one count, no copy
    /// edited.rewrite_text(|text| Some(text.replace("five", "six"))); // copies now
    /// assert_eq!((&*stored.text(), &*edited.text()), ("call me at five", "call me at six"));
    /// ```
    Message(MessageData) in pool
}

/// What a [`Message`] holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageData {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    #[serde(default, deserialize_with = "message_content")]
    pub content: Vec<Block>,
    /// Fields of the provider that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_message")]
    pub extra: Map<String, Value>,
    /// How the provider wrote the content, so that it is written the same way again.
    #[serde(skip)]
    pub(crate) shape: Shape,
}

closed_words! {
    /// Who speaks.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Role {
        /// Instructions of the app.
        System = "system",
        /// Instructions of the app, in the newer word of some providers.
        Developer = "developer",
        /// The person.
        #[default]
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool's answer.
        Tool = "tool",
    }
}

impl Message {
    /// `text`, said by `role`.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::of(role, vec![Block::from(text.into())])
    }

    /// `content`, said by `role`.
    pub fn of(role: Role, content: Vec<Block>) -> Self {
        MessageData { role, content, ..MessageData::default() }.into()
    }

    /// Blocks of known types are well formed.
    pub(crate) fn check_blocks(before: &Self, after: &Self) -> Result<(), Violation> {
        rules::blocks(&before.content, &after.content)
    }

    /// [`check_blocks`](Self::check_blocks), and the row makes and answers the calls that it did: they are about to run, or
    /// have run, whatever the row says.
    pub(crate) fn check_row(before: &Self, after: &Self) -> Result<(), Violation> {
        Self::check_blocks(before, after)?;
        if before.ids().eq(after.ids()) {
            return Ok(());
        }
        Err(Violation::new(
            "the tool calls and results of a row stay in it, in their order; add or take out a call at `post_model_call`",
        ))
    }

    /// The ids of the calls that the message makes and, marked, of those that it answers.
    fn ids(&self) -> impl Iterator<Item = (bool, &str)> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some((false, call.id.as_str())),
            Block::ToolResult(result) => Some((true, result.call_id.as_str())),
            _ => None,
        })
    }

    /// All prose of the message, its text blocks joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.content.iter().filter_map(Block::as_text);
        let first = texts.next().unwrap_or_default();
        match texts.next() {
            None => Cow::Borrowed(first),
            Some(second) => Cow::Owned([first, second].into_iter().chain(texts).collect::<Vec<_>>().join("\n")),
        }
    }

    /// The tool calls that the message makes.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// Holds every text of the message against `edit`: prose, tool results, and each string within the inputs of tool
    /// calls. Where `edit` returns `None` throughout, nothing is copied. Returns whether anything changed.
    pub fn rewrite_text(&mut self, mut edit: impl FnMut(&str) -> Option<String>) -> bool {
        let content = rewritten(&self.content, &mut edit);
        let changed = content.is_some();
        if let Some(content) = content {
            self.content = content;
        }
        changed
    }
}

impl AsRef<str> for Role {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
