use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::block::{Block, ToolResultBlock, rewritten};
use super::expected::expected;
use super::extra;
use super::json_text::rewrite_json_text;
use super::message::{Message, Role};
use super::reading::result_content;
use super::rules;
use super::shared::shared;
use super::violation::Violation;
use crate::text::redacted;

/// A tool call of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id of the call, which its result refers to.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments of the call.
    #[serde(default)]
    pub input: ToolInput,
    /// The name that the model used, if a hook declared the tool under another name. `name` is the tool that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_as: Option<String>,
    /// Provider fields that this crate does not know.
    #[serde(flatten, serialize_with = "extra::of_call")]
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// Creates a call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: impl Into<ToolInput>) -> Self {
        Self { id: id.into(), name: name.into(), input: input.into(), declared_as: None, extra: Map::new() }
    }
}

/// The arguments of a tool call: a JSON value that keeps its original text until it is changed.
///
/// ```
/// use hook_sdk::data::ToolInput;
///
/// let mut input = ToolInput::parse(r#"{"limit": 5}"#);
/// assert_eq!(input["limit"], 5);
/// assert_eq!(input.text(), r#"{"limit": 5}"#); // as it came, space and all
/// input["limit"] = 3.into();
/// assert_eq!(input.text(), r#"{"limit":3}"#);
/// ```
#[derive(Clone, Default)]
pub struct ToolInput(Arc<InputData>);

#[derive(Clone, Debug, Default)]
struct InputData {
    value: Value,
    /// The text that the model wrote; `None` after a change.
    text: Option<String>,
}

impl ToolInput {
    /// Parses arguments that a model wrote as text. Text that is not JSON is kept as a string, so that the tool can
    /// answer it.
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
        Self(Arc::new(InputData { value, text: Some(text) }))
    }

    /// Deserializes the arguments as a `T`. The error says what was expected in words that a model understands. It
    /// converts to a [`Reason`](crate::verdict::Reason), so a guard can deny with it.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     cents: u64,
    /// }
    ///
    /// #[hook(id = "refund_limit", kind = before_tool_call, tool = "refund")]
    /// fn refund_limit(input: &ToolInput) -> Permission {
    ///     match input.read::<Refund>() {
    ///         Ok(refund) if refund.cents <= 5_000 => Permission::Allow,
    ///         Ok(_) => Permission::ask("over 50"),
    ///         Err(error) => Permission::deny(error),
    ///     }
    /// }
    ///
    /// let error = ToolInput::parse(r#"{"cents": "300"}"#).read::<Refund>().map(|refund| refund.cents).unwrap_err();
    /// assert_eq!(error.to_string(), "expected an object with `cents`: invalid type: string \"300\", expected u64");
    /// ```
    ///
    /// # Errors
    /// [`InputError`] if the arguments are not a valid `T`.
    pub fn read<'de, T: Deserialize<'de>>(&'de self) -> Result<T, InputError> {
        T::deserialize(&**self)
            .map_err(|error| InputError { expected: expected::<T>(), problem: redacted(&error.to_string()) })
    }

    /// The arguments as text: as the model wrote them, or compact JSON if they were changed.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0.text {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.0.value.to_string()),
        }
    }

    /// Returns the arguments with each string rewritten by `edit`, or `None` if nothing changed. Keys and layout stay
    /// as they are.
    pub(crate) fn rewritten(&self, edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<Self> {
        rewrite_json_text(&self.text(), edit).map(Self::parse)
    }
}

/// The arguments of a tool call are not what a hook or a tool expected. Returned by [`ToolInput::read`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}: {problem}")]
pub struct InputError {
    expected: String,
    problem: String,
}

impl std::ops::Deref for ToolInput {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.value
    }
}

impl std::ops::DerefMut for ToolInput {
    fn deref_mut(&mut self) -> &mut Value {
        let data = Arc::make_mut(&mut self.0);
        data.text = None;
        &mut data.value
    }
}

impl PartialEq for ToolInput {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl std::fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.value.fmt(f)
    }
}

impl From<Value> for ToolInput {
    fn from(value: Value) -> Self {
        Self(Arc::new(InputData { value, text: None }))
    }
}

impl Serialize for ToolInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

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
        match self.content.as_slice() {
            [Block::Text(only)] => Cow::Borrowed(&only.text),
            blocks => Cow::Owned(blocks.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n")),
        }
    }

    /// Rewrites every text of the result with `edit`, which returns `None` to leave a text as it is. Copies the result
    /// only if something changes. Returns whether anything changed.
    pub fn rewrite_text(&mut self, mut edit: impl FnMut(&str) -> Option<String>) -> bool {
        let content = rewritten(&self.content, &mut edit);
        let changed = content.is_some();
        if let Some(content) = content {
            self.content = content;
        }
        changed
    }

    /// Checks that blocks of known types are well formed, and that the result does not become an instruction.
    pub(crate) fn check_blocks(before: &Self, after: &Self) -> Result<(), Violation> {
        if let (Some(role @ (Role::System | Role::Developer)), true) = (after.said_by, before.said_by != after.said_by)
        {
            return Err(Violation::new(format!(
                "a tool result cannot be presented by `{role}`, whose instructions the model follows; write `user` or `assistant`"
            )));
        }
        rules::answer(&before.content, &after.content)
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
