//! Lossless conversion from and to messages in OpenAI's chat format.
//!
//! The format is that of the Chat Completions reference: `role`, `content` (a string, `null` or a list of parts),
//! `tool_calls` with arguments as text, and messages of the role `tool` with a `tool_call_id`. A call of a type that
//! this crate does not know stays in `extra`, unchanged.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::block::{Block, Shape, ToolResultBlock};
use super::call::{ToolCall, ToolInput};
use super::message::{Message, MessageData, Role};
use super::openai_list::split;

/// A message does not have the expected format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {expected}")]
pub struct FormatError {
    /// The path of the field, such as `tool_calls[0].function`.
    pub field: String,
    /// What is expected there, and what was found.
    pub expected: String,
}

impl FormatError {
    /// Prefixes the path with the index of the message in a list.
    pub(crate) fn within(self, index: usize) -> Self {
        Self { field: format!("messages[{index}].{}", self.field), ..self }
    }
}

pub(crate) fn wrong(field: impl Into<String>, expected: impl Into<String>) -> FormatError {
    FormatError { field: field.into(), expected: expected.into() }
}

impl Message {
    /// Parses a message in the chat format.
    ///
    /// # Errors
    /// [`FormatError`], which names the field and what is expected there.
    ///
    /// ```
    /// use hook_sdk::data::{Message, Role};
    /// use serde_json::json;
    ///
    /// let wire = json!({"role": "tool", "tool_call_id": "call_1", "name": "lookup", "content": "found"});
    /// let message = Message::from_openai(wire.clone())?;
    /// assert_eq!(message.role, Role::Tool);
    /// assert_eq!(message.to_openai(), [wire]);
    /// # Ok::<(), hook_sdk::data::FormatError>(())
    /// ```
    pub fn from_openai(message: Value) -> Result<Self, FormatError> {
        let Value::Object(mut fields) = message else {
            return Err(wrong("message", "expected an object with `role` and `content`"));
        };
        let role = take_role(&mut fields)?;
        let (mut content, shape) = take_content(&mut fields)?;
        if role == Role::Tool {
            let call_id = take_string(&mut fields, "tool_call_id")?
                .ok_or_else(|| wrong("tool_call_id", "expected the id of the call, because `role` is `tool`"))?;
            let name = take_string(&mut fields, "name")?;
            let mut result = ToolResultBlock::new(call_id, content);
            result.name = name;
            content = vec![Block::ToolResult(result)];
        }
        content.extend(take_calls(&mut fields)?.into_iter().map(Block::ToolUse));
        Ok(MessageData { role, content, extra: fields, shape }.into())
    }

    /// Writes the message in the chat format, in which each tool result is its own message: a message with results
    /// becomes one per result, plus one for its remaining content. The format cannot express that a tool failed.
    pub fn to_openai(&self) -> Vec<Value> {
        split(self).iter().map(Self::write_openai).collect()
    }

    fn write_openai(&self) -> Value {
        let mut fields = self.extra.clone();
        fields.insert("role".to_owned(), json!(self.role.as_str()));
        let result = self.content.iter().find_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        });
        if let Some(result) = result {
            fields.insert("tool_call_id".to_owned(), json!(result.call_id));
            if let Some(name) = &result.name {
                fields.insert("name".to_owned(), json!(name));
            }
        }
        let content = result.map_or(&self.content, |result| &result.content);
        if let Some(content) = write_content(content, self.shape) {
            fields.insert("content".to_owned(), content);
        }
        let mut calls: Vec<Value> = self.tool_calls().map(write_call).collect();
        if !calls.is_empty() {
            // Calls of unknown types.
            if let Some(Value::Array(others)) = fields.remove("tool_calls") {
                calls.extend(others);
            }
            fields.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        Value::Object(fields)
    }
}

pub(crate) fn take_role(fields: &mut Map<String, Value>) -> Result<Role, FormatError> {
    let role = fields.remove("role").ok_or_else(|| wrong("role", "expected a message's `role`"))?;
    serde_json::from_value(role.clone()).map_err(|_| {
        wrong("role", format!("expected `system`, `developer`, `user`, `assistant` or `tool`, found {role}"))
    })
}

fn take_string(fields: &mut Map<String, Value>, field: &str) -> Result<Option<String>, FormatError> {
    match fields.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(field, format!("expected a string, found {}", json_type_name(&other)))),
    }
}

fn take_content(fields: &mut Map<String, Value>) -> Result<(Vec<Block>, Shape), FormatError> {
    match fields.remove("content") {
        None => Ok((Vec::new(), Shape::Missing)),
        Some(Value::Null) => Ok((Vec::new(), Shape::Null)),
        Some(Value::String(text)) => Ok((vec![Block::from(text)], Shape::Text)),
        Some(parts @ Value::Array(_)) => {
            let blocks = serde_json::from_value(parts).map_err(|error| wrong("content", error.to_string()))?;
            Ok((blocks, Shape::Parts))
        }
        Some(other) => Err(wrong(
            "content",
            format!("expected a string, null or a list of parts, found {}", json_type_name(&other)),
        )),
    }
}

/// Takes the calls of functions and of custom tools. Calls of other types stay in `tool_calls`.
fn take_calls(fields: &mut Map<String, Value>) -> Result<Vec<ToolCall>, FormatError> {
    let calls = match fields.get_mut("tool_calls") {
        // An empty or null list has no calls, but stays in `extra` so that it is written again.
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(calls)) if calls.is_empty() => return Ok(Vec::new()),
        Some(Value::Array(calls)) => std::mem::take(calls),
        Some(other) => return Err(wrong("tool_calls", format!("expected a list, found {}", json_type_name(other)))),
    };
    let (mut read, mut others) = (Vec::new(), Vec::new());
    for (index, call) in calls.into_iter().enumerate() {
        match CallForm::of(&call) {
            Some(form) => read.push(read_call(call, form, index)?),
            None => others.push(call),
        }
    }
    if others.is_empty() {
        fields.remove("tool_calls");
    } else {
        fields.insert("tool_calls".to_owned(), Value::Array(others));
    }
    Ok(read)
}

/// The names of the object in a call that describes it, and of the arguments in this object.
#[derive(Clone, Copy)]
struct CallForm {
    tag: &'static str,
    arguments: &'static str,
}

impl CallForm {
    const FUNCTION: Self = Self { tag: "function", arguments: "arguments" };
    /// A tool whose input is text of its own grammar, not JSON.
    const CUSTOM: Self = Self { tag: "custom", arguments: "input" };

    /// `None` if the call is of another type.
    fn of(call: &Value) -> Option<Self> {
        let forms = [Self::FUNCTION, Self::CUSTOM];
        let described = forms.into_iter().find(|form| call.get(form.tag).is_some());
        described.or_else(|| match call.get("type") {
            Some(tag) => forms.into_iter().find(|form| tag == form.tag),
            None => Some(Self::FUNCTION),
        })
    }
}

fn read_call(call: Value, form: CallForm, index: usize) -> Result<ToolCall, FormatError> {
    let CallForm { tag, arguments } = form;
    let at = |rest: String| format!("tool_calls[{index}]{rest}");
    let Value::Object(mut extra) = call else {
        return Err(wrong(at(String::new()), "expected an object with `id` and `function`"));
    };
    let id = take_string(&mut extra, "id")?.ok_or_else(|| wrong(at(".id".to_owned()), "expected the call's id"))?;
    let Some(Value::Object(described)) = extra.get_mut(tag) else {
        return Err(wrong(at(format!(".{tag}")), format!("expected an object with `name` and `{arguments}`")));
    };
    let name =
        take_string(described, "name")?.ok_or_else(|| wrong(at(format!(".{tag}.name")), "expected the tool's name"))?;
    let input = match described.remove(arguments) {
        Some(Value::String(text)) if tag == CallForm::FUNCTION.tag => ToolInput::parse(text),
        None => return Err(wrong(at(format!(".{tag}.{arguments}")), "expected the arguments as text")),
        Some(other) => ToolInput::from(other),
    };
    // Fields that every call of a function has are not kept in `extra`: writing adds them again. What is left of a custom
    // tool stays, and says that it was one.
    if tag == CallForm::FUNCTION.tag && described.is_empty() {
        extra.remove(tag);
    }
    if extra.get("type").is_some_and(|kind| kind == tag) {
        extra.remove("type");
    }
    Ok(ToolCall { id, name, input, declared_as: None, extra })
}

fn write_call(call: &ToolCall) -> Value {
    let mut fields = call.extra.clone();
    let form = if fields.contains_key(CallForm::CUSTOM.tag) { CallForm::CUSTOM } else { CallForm::FUNCTION };
    fields.insert("id".to_owned(), json!(call.id));
    fields.entry("type").or_insert_with(|| json!(form.tag));
    let described = fields.entry(form.tag).or_insert_with(|| json!({}));
    if let Value::Object(described) = described {
        let input = match &*call.input {
            Value::String(text) if form.tag == CallForm::CUSTOM.tag => Cow::Borrowed(text.as_str()),
            _ => call.input.text(),
        };
        described.insert("name".to_owned(), json!(call.name));
        described.insert(form.arguments.to_owned(), json!(input));
    }
    Value::Object(fields)
}

fn write_content(content: &[Block], shape: Shape) -> Option<Value> {
    let blocks: Vec<&Block> = content.iter().filter(|block| !matches!(block, Block::ToolUse(_))).collect();
    match (blocks.as_slice(), shape) {
        ([], Shape::Missing) => None,
        ([], Shape::Parts) => Some(json!([])),
        ([], _) => Some(Value::Null),
        ([Block::Text(only)], Shape::Text | Shape::Null | Shape::Missing) if only.extra.is_empty() => {
            Some(json!(only.text))
        }
        (blocks, _) => Some(json!(blocks)),
    }
}

/// The name of a JSON value's type for messages to users, such as `a list`.
///
/// ```
/// let found = hook_sdk::data::json_type_name(&serde_json::json!([1]));
/// assert_eq!(format!("expected an object, found {found}"), "expected an object, found a list");
/// ```
pub fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
