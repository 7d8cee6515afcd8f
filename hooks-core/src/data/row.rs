use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::block::{Block, message_content, result_content};
use super::call::ToolCall;
use super::message::{Message, Role};
use super::result::ToolResult;
use super::shared::shared;
use super::violation::Violation;
use super::{extra, validation};

shared! {
    /// A tool result as it is stored.
    ///
    /// ```
    /// use hook_sdk::data::{ResultRow, ToolCall, ToolResult};
    ///
    /// let call = ToolCall::new("call_1", "lookup", serde_json::json!({}));
    /// let row = ResultRow::new(&call, &ToolResult::new("found"));
    /// assert_eq!((row.call_id.as_str(), row.tool.as_str()), ("call_1", "lookup"));
    /// ```
    ResultRow(ResultRowData)
}

/// The data of a [`ResultRow`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResultRowData {
    /// The id of the call that the row answers. Hooks cannot change it.
    pub call_id: String,
    /// The tool's name.
    #[serde(default)]
    pub tool: String,
    /// The content of the result.
    #[serde(default, deserialize_with = "result_content")]
    pub content: Vec<Block>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Additional columns of the app.
    #[serde(flatten, serialize_with = "extra::of_row")]
    pub extra: Map<String, Value>,
}

impl ResultRow {
    /// Creates the row for the result of `call`. The additional context of the result is not stored.
    pub fn new(call: &ToolCall, result: &ToolResult) -> Self {
        ResultRowData {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            content: result.content.clone(),
            is_error: result.is_error,
            extra: result.extra.clone(),
        }
        .into()
    }

    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        if before.call_id != after.call_id {
            return Err(Violation::new(format!(
                "`call_id` changed from `{}` to `{}`; a row must keep the call that it answers",
                before.call_id, after.call_id
            )));
        }
        validation::answer(&before.content, &after.content)
    }
}

shared! {
    /// A change to a stored message: the fields to write, by name.
    ///
    /// ```
    /// use hook_sdk::data::MessageUpdate;
    /// use serde_json::json;
    ///
    /// let mut update = MessageUpdate::from_iter([("status", json!("completed"))]);
    /// update.insert("silent".to_owned(), json!(true));
    /// assert_eq!(serde_json::to_value(&update)?, json!({"status": "completed", "silent": true}));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    MessageUpdate(Map<String, Value>)
}

impl<N: Into<String>> FromIterator<(N, Value)> for MessageUpdate {
    fn from_iter<T: IntoIterator<Item = (N, Value)>>(fields: T) -> Self {
        fields.into_iter().map(|(name, value)| (name.into(), value)).collect::<Map<_, _>>().into()
    }
}

impl MessageUpdate {
    /// Returns `message` with the fields of this update applied. Other fields keep their values.
    ///
    /// # Errors
    /// An error of serde if the result is not a valid message.
    pub fn apply(&self, message: &Message) -> Result<Message, serde_json::Error> {
        serde_json::from_value(patch(serde_json::to_value(message)?, Value::Object((**self).clone())))
    }

    /// Checks that a changed role or content can be deserialized.
    pub(crate) fn check(before: &Self, after: &Self) -> Result<(), Violation> {
        let changed = |field: &str| after.get(field).filter(|value| before.get(field) != Some(value));
        if let Some(role) = changed("role") {
            let known: Result<Role, _> = Role::deserialize(role);
            known.map_err(|_| Violation::new(format!("unknown role {role}; write one such as `user`")))?;
        }
        if let Some(content) = changed("content").filter(|content| !content.is_null()) {
            message_content(content).map_err(|error| Violation::new(format!("`content` of the update: {error}")))?;
        }
        Ok(())
    }
}

/// Applies a partial change to a JSON object: absent keys keep their value, and `null` sets `null`.
///
/// The merge is one level deep: a value in `change` replaces the whole value in `base`. If either of them is not an
/// object, `change` replaces `base`.
///
/// ```
/// use hook_sdk::data::patch;
/// use serde_json::json;
///
/// let base = json!({"role": "user", "content": "hello", "name": "ada"});
/// let change = json!({"content": "hello there", "name": null});
/// assert_eq!(patch(base, change), json!({"role": "user", "content": "hello there", "name": null}));
/// ```
#[must_use]
pub fn patch(base: Value, change: Value) -> Value {
    match (base, change) {
        (Value::Object(mut base), Value::Object(change)) => {
            base.extend(change);
            Value::Object(base)
        }
        (_, change) => change,
    }
}
