use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::expected::InputError;
use super::extra;
use super::json_text::rewrite_json_text;
use crate::text::fields_of;

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

    /// Creates a call for a harness whose calls have no ids. Its id is new in this process.
    pub fn without_id(name: impl Into<String>, input: impl Into<ToolInput>) -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        Self::new(format!("call_{}_{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed)), name, input)
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
#[derive(Clone, Default, Deserialize)]
#[serde(from = "Value")]
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
        // serde reads a list as the fields of a struct in their order. A tool that looks fields up finds none of them.
        if self.is_array() && !fields_of::<T>().is_empty() {
            return Err(InputError::of::<T>("", "invalid type: a list"));
        }
        T::deserialize(&**self).map_err(|error| InputError::of::<T>("", &error.to_string()))
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
