//! The fields of a definition, in whatever format they were written.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::HookUse;
use super::error::{DefinitionError, all, invalid};
use crate::id::HookId;
use crate::source::Places;

/// The fields of a definition.
#[derive(Default, Deserialize)]
pub(crate) struct DefinitionFields {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) hooks: Option<Vec<HookUse>>,
    #[serde(flatten)]
    pub(crate) extra: Map<String, Value>,
}

/// A field as a parser found it, with offsets into the text.
pub(crate) struct ParsedField {
    pub(crate) name: String,
    /// The offset of the name.
    pub(crate) at: usize,
    /// The offset of the value.
    pub(crate) start: usize,
    pub(crate) value: Value,
    /// The offsets of the elements, if it is `hooks` and a list.
    pub(crate) elements: Vec<usize>,
}

impl DefinitionFields {
    /// Rejects a field that looks like `hooks` or contains it. Otherwise the field would be kept in `extra`, and its
    /// hooks would never run.
    pub(crate) fn checked(self, what: &str) -> Result<Self, String> {
        let declares_hooks = self.hooks.is_some();
        let mut extra = self.extra.iter();
        let problem = extra.find_map(|(field, value)| misplaced(field, value, what, declares_hooks));
        problem.map_or(Ok(self), Err)
    }

    pub(crate) fn of(
        file: &Arc<Path>,
        text: &str,
        what: &str,
        parsed: Vec<ParsedField>,
    ) -> Result<Self, DefinitionError> {
        // `null` is not a list.
        let declares_hooks = parsed.iter().any(|field| field.name == "hooks" && !field.value.is_null());
        let mut fields = Self::default();
        for ParsedField { name, at, start, value, elements } in parsed {
            match (&*name, value) {
                ("name", Value::String(name)) => fields.name = name,
                ("name", _) => {
                    return Err(invalid(file, text, start, format!("expected the {what}'s `name` to be a string")));
                }
                ("hooks", Value::Null) => {}
                ("hooks", Value::Array(entries)) => {
                    let mut places = Places::new(file, text);
                    let entries = entries.into_iter().zip(elements).map(|(entry, start)| {
                        let place = places.at(start);
                        match serde_json::from_value::<HookUse>(entry) {
                            Ok(hook) => Ok(HookUse { place: Some(place), ..hook }),
                            Err(error) => Err(DefinitionError::Invalid { place, problem: error.to_string() }),
                        }
                    });
                    fields.hooks = Some(all(entries)?);
                }
                ("hooks", _) => {
                    let problem = "expected `hooks` to be a list of ids, such as [\"redact_pii\"]";
                    return Err(invalid(file, text, start, problem));
                }
                (_, value) => {
                    if let Some(problem) = misplaced(&name, &value, what, declares_hooks) {
                        return Err(invalid(file, text, at, problem));
                    }
                    fields.extra.insert(name, value);
                }
            }
        }
        Ok(fields)
    }
}

/// Describes a field that looks like the list of hooks or contains it, but would be kept in `extra`, so that its hooks
/// would never run.
fn misplaced(field: &str, value: &Value, what: &str, declares_hooks: bool) -> Option<String> {
    let nested = |fields: &Map<String, Value>| fields.contains_key("hooks") || !declares_hooks;
    if field == what && value.as_object().is_some_and(nested) {
        return Some(format!(
            "the fields of the {what} are inside `{field}`; write them at the top level, without `{field}` around them"
        ));
    }
    if declares_hooks {
        return None;
    }
    if nearly_hooks(field) && names_hooks(value) {
        return Some(format!("unknown field `{field}`; did you mean `hooks`?"));
    }
    contains_list(value).then(|| {
        format!(
            "`hooks` is inside `{field}`, where it has no effect; write it at the top level; if it is not meant for the {what}, move it to another file"
        )
    })
}

/// Whether there is a list of hooks in the value, at any depth.
fn contains_list(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(field, value)| field == "hooks" && value.is_array() && names_hooks(value) || contains_list(value)),
        Value::Array(entries) => entries.iter().any(contains_list),
        _ => false,
    }
}

/// Whether the name is one edit away from `hooks`, except in the first letter, which is rarely mistyped: `books` is
/// another word.
fn nearly_hooks(field: &str) -> bool {
    let field = field.to_lowercase();
    field.starts_with('h') && strsim::osa_distance(&field, "hooks") <= 1 || field == "ooks" || field == "ohoks"
}

/// Whether the value looks like a list of hooks.
fn names_hooks(value: &Value) -> bool {
    match value {
        Value::Array(entries) => entries.iter().all(names_hooks),
        Value::String(id) => HookId::is_valid(id),
        Value::Object(entry) => entry.contains_key("id"),
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
    }
}
