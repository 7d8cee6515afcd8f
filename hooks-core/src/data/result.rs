use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::{self, Block, ToolResultBlock, result_content};
use super::call::ToolCall;
use super::message::{Message, Role};
use super::shared::shared;
use super::violation::Violation;
use super::{extra, validation};

shared! {
    /// The result of a tool call, as the model will receive it.
    ///
    /// ```
    /// use hook_sdk::data::ToolResult;
    ///
    /// let mut result = ToolResult::new("card 4111 1111 1111 1111");
    /// result.rewrite_text(|text| Some(text.replace(|c: char| c.is_ascii_digit(), "*")));
    /// assert_eq!(result.text(), "card **** **** **** ****");
    /// ```
    #[must_use = "hooks may have changed it: the model has to read this, not what the tool returned"]
    ToolResult(ToolResultData)
}

/// The data of a [`ToolResult`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResultData {
    /// The content of the result.
    #[serde(default, deserialize_with = "result_content")]
    pub content: Vec<Block>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Additional text for the model. It follows the result and is never stored as the tool's output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<String>,
    /// The role that presents the result to the model instead of the tool: `user` or `assistant`. See
    /// [`into_messages`](ToolResult::into_messages).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<Role>,
    /// Provider fields that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_result", deserialize_with = "extra::read_of_result")]
    pub extra: Map<String, Value>,
}

impl ToolResult {
    /// Creates the result of a successful call.
    pub fn new(text: impl Into<String>) -> Self {
        ToolResultData { content: vec![Block::from(text.into())], ..ToolResultData::default() }.into()
    }

    /// Creates the result of a failed call.
    pub fn error(text: impl Into<String>) -> Self {
        let mut result = Self::new(text);
        result.is_error = true;
        result
    }

    /// The text of the result: its text blocks, joined by line breaks.
    pub fn text(&self) -> Cow<'_, str> {
        block::text(&self.content)
    }

    /// Rewrites every text of the result with `edit`, which returns `None` to leave a text as it is. Copies the result
    /// only if something changes. Returns whether anything changed.
    pub fn rewrite_text(&mut self, mut edit: impl FnMut(&str) -> Option<String>) -> bool {
        let content = block::rewritten(&self.content, &mut edit);
        content.map(|content| self.content = content).is_some()
    }

    /// Checks that blocks of known types are well formed, and that the result does not become an instruction.
    pub(crate) fn check_blocks(before: &Self, after: &Self) -> Result<(), Violation> {
        if let (Some(role @ (Role::System | Role::Developer)), true) = (after.said_by, before.said_by != after.said_by)
        {
            return Err(Violation::new(format!(
                "a tool result cannot be presented by `{role}`, whose instructions the model follows; write `user` or `assistant`"
            )));
        }
        validation::answer(&before.content, &after.content)
    }

    /// Adds text for the model that follows the result.
    pub fn add_context(&mut self, text: impl Into<String>) {
        self.additional_context.push(text.into());
    }

    /// Converts the result into the messages that the model reads: the result of `call`, followed by the additional
    /// context. If `said_by` is set, the first message answers the call with a note that points to the second message,
    /// which has that role and contains the result.
    ///
    /// Use it for the request to the model. To store the tool's output, use [`ResultRow`](super::ResultRow).
    ///
    /// ```
    /// use hook_sdk::data::{Role, ToolCall, ToolResult};
    ///
    /// let call = ToolCall::new("call_1", "camera", serde_json::json!({}));
    /// let mut result = ToolResult::new("a picture of a cat");
    /// result.add_context("the camera is in the hall");
    /// let [answer] = &result.clone().into_messages(&call)[..] else { unreachable!() };
    /// assert_eq!((answer.role, &*answer.text()), (Role::Tool, "the camera is in the hall")); // follows the result
    ///
    /// result.said_by = Some(Role::User);
    /// let [_, picture] = &result.into_messages(&call)[..] else { unreachable!() };
    /// assert_eq!((picture.role, &*picture.text()), (Role::User, "a picture of a cat\nthe camera is in the hall"));
    /// ```
    pub fn into_messages(mut self, call: &ToolCall) -> Vec<Message> {
        let additional: Vec<Block> =
            std::mem::take(&mut self.additional_context).into_iter().map(Block::from).collect();
        let presenter = self.said_by.take().filter(|role| *role != Role::Tool);
        let Some(role) = presenter else {
            let blocks = std::iter::once(self.into_block(call)).chain(additional).collect();
            return vec![Message::of(Role::Tool, blocks)];
        };
        let text = format!("The answer is in the next message, of the {role}.");
        let content = std::mem::replace(&mut self.content, vec![Block::from(text)]);
        let answer = Message::of(Role::Tool, vec![self.into_block(call)]);
        vec![answer, Message::of(role, content.into_iter().chain(additional).collect())]
    }

    /// Converts the result into the content block that answers `call`.
    pub fn into_block(self, call: &ToolCall) -> Block {
        let data = Arc::unwrap_or_clone(self.0);
        let mut block = ToolResultBlock::new(&call.id, data.content);
        block.name = Some(call.name.clone());
        block.is_error = data.is_error;
        block.extra = data.extra;
        block.extra.retain(|name, _| !extra::RESULT_BLOCK.contains(&name.as_str()));
        Block::ToolResult(block)
    }
}
