//! Parses definitions from JSON, with the position of every error.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::HookUse;
use crate::id::HookId;
use crate::source::{Place, Places};

/// An app, agent or prompt file cannot be read or is invalid.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    #[non_exhaustive]
    Unreadable {
        /// The path of the file.
        file: Arc<Path>,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("{}: is not UTF-8 from byte {valid_up_to} on; save it as UTF-8", file.display())]
    #[non_exhaustive]
    NotUtf8 {
        /// The path of the file.
        file: Arc<Path>,
        /// The length of the valid part in bytes.
        valid_up_to: usize,
    },
    /// The text is invalid.
    #[error("{place}: {problem}")]
    #[non_exhaustive]
    Invalid {
        /// The position of the error.
        place: Place,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// The text contains several errors.
    #[error("{} problems:{}", problems.len(), numbered(problems))]
    #[non_exhaustive]
    Several {
        /// The errors, in the order of the text.
        problems: Vec<DefinitionError>,
    },
}

impl fmt::Debug for DefinitionError {
    /// Prints the message, because a `main` that returns the error and a test that unwraps it use `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn numbered(problems: &[DefinitionError]) -> String {
    use fmt::Write as _;

    problems.iter().enumerate().fold(String::new(), |mut text, (i, problem)| {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{:>3}. {problem}", i + 1);
        text
    })
}

/// Collects all values, or all errors.
pub(crate) fn all<T>(read: impl Iterator<Item = Result<T, DefinitionError>>) -> Result<Vec<T>, DefinitionError> {
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    for read in read {
        match read {
            Ok(value) => values.push(value),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.len() > 1 {
        return Err(DefinitionError::Several { problems });
    }
    problems.pop().map_or(Ok(values), Err)
}

pub(crate) fn invalid(file: &Arc<Path>, text: &str, offset: usize, problem: impl Into<String>) -> DefinitionError {
    DefinitionError::Invalid { place: Place::of(file, text, offset), problem: problem.into() }
}

/// Removes the byte order mark that some editors write.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(crate) fn read(file: &Path) -> Result<String, DefinitionError> {
    let bytes = std::fs::read(file).map_err(|source| DefinitionError::Unreadable { file: file.into(), source })?;
    String::from_utf8(bytes)
        .map_err(|error| DefinitionError::NotUtf8 { file: file.into(), valid_up_to: error.utf8_error().valid_up_to() })
}

/// The fields of an object, each with its slice of the source text.
pub(crate) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// Parses the object and rejects a field that is almost a known one: it would be ignored, and its hooks would never
/// run.
pub(crate) fn fields<'a>(file: &Arc<Path>, text: &'a str, what: &str) -> Result<Fields<'a>, DefinitionError> {
    if !text.trim_start().starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok() {
        return Err(invalid(
            file,
            text,
            leading(text),
            format!("expected an {what}: an object with `name` and `hooks`").replace("an prompt", "a prompt"),
        ));
    }
    let EntryList(entries) = serde_json::from_str(text).map_err(|error| syntax(file, text, 0, text, &error))?;
    let declares_hooks = entries.iter().any(|(name, _)| name == "hooks");
    let mut fields = Fields::new();
    for (name, raw) in entries {
        let suspicious = may_be_misplaced(&name, what).then(|| serde_json::from_str(raw.get()).ok()).flatten();
        if let Some(problem) = suspicious.and_then(|value| misplaced(&name, &value, what, declares_hooks)) {
            let offset = key_offset(text, raw, &name);
            return Err(invalid(file, text, offset, problem));
        }
        if fields.contains_key(&name) {
            let offset = key_offset(text, raw, &name);
            return Err(invalid(file, text, offset, format!("the field `{name}` appears twice; keep one")));
        }
        fields.insert(name, raw);
    }
    Ok(fields)
}

/// Whether the field's value must be checked.
pub(crate) fn may_be_misplaced(field: &str, what: &str) -> bool {
    field == what || nearly_hooks(field)
}

/// Describes a field that looks like the list of hooks or contains it, but would be kept in `extra`, so that its hooks
/// would never run.
pub(crate) fn misplaced(field: &str, value: &Value, what: &str, declares_hooks: bool) -> Option<String> {
    let nested = |fields: &Map<String, Value>| fields.contains_key("hooks") || !declares_hooks;
    if field == what && value.as_object().is_some_and(nested) {
        return Some(format!(
            "the fields of the {what} are inside `{field}`; write them at the top level, without `{field}` around them"
        ));
    }
    let list = nearly_hooks(field) && !declares_hooks && names_hooks(value);
    list.then(|| format!("unknown field `{field}`; did you mean `hooks`?"))
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

/// The declared list; `None` if the field is missing or null.
pub(crate) fn hooks(
    file: &Arc<Path>,
    text: &str,
    fields: &Fields<'_>,
) -> Result<Option<Vec<HookUse>>, DefinitionError> {
    let Some(raw) = fields.get("hooks") else { return Ok(None) };
    let start = offset(text, raw);
    if raw.get().trim() == "null" {
        return Ok(None);
    }
    let entries: Vec<&RawValue> = serde_json::from_str(raw.get())
        .map_err(|_| invalid(file, text, start, "expected `hooks` to be a list of ids, such as [\"redact_pii\"]"))?;
    let mut places = Places::new(file, text);
    let read = |entry: &RawValue| {
        let place = places.at(offset(text, entry));
        match serde_json::from_str::<HookUse>(entry.get()) {
            Ok(hook) => Ok(HookUse { place: Some(place), ..hook }),
            Err(error) => Err(DefinitionError::Invalid { place, problem: message(&error) }),
        }
    };
    all(entries.into_iter().map(read)).map(Some)
}

/// The name; empty if there is none.
pub(crate) fn name(file: &Arc<Path>, text: &str, fields: &mut Fields<'_>) -> Result<String, DefinitionError> {
    let Some(raw) = fields.remove("name") else { return Ok(String::new()) };
    serde_json::from_str(raw.get())
        .map_err(|_| invalid(file, text, offset(text, raw), "expected `name` to be a string"))
}

/// Converts the remaining fields to values. Well-formed JSON may still fail, for example because it is nested too deep
/// or contains a lone surrogate.
pub(crate) fn values(file: &Arc<Path>, text: &str, fields: Fields<'_>) -> Result<Map<String, Value>, DefinitionError> {
    let value = |(name, raw): (String, &RawValue)| match serde_json::from_str(raw.get()) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(syntax(file, text, offset(text, raw), raw.get(), &error)),
    };
    all(fields.into_iter().map(value)).map(Map::from_iter)
}

/// The offset of `part` within `text`.
fn offset(text: &str, part: &RawValue) -> usize {
    (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The offset of the name of the field with this value.
fn key_offset(text: &str, value: &RawValue, name: &str) -> usize {
    let before = text.get(..offset(text, value)).unwrap_or_default();
    before.rfind(&format!("\"{name}\"")).unwrap_or(before.len())
}

fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Converts the parser's error about `part`, which begins at `start` of `text`.
fn syntax(file: &Arc<Path>, text: &str, start: usize, part: &str, error: &serde_json::Error) -> DefinitionError {
    let line_start: usize =
        part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>() + start;
    invalid(file, text, line_start + error.column().saturating_sub(1), message(error))
}

/// The parser's message without its position.
fn message(error: &serde_json::Error) -> String {
    let problem = error.to_string();
    problem.rsplit_once(" at line ").map_or(problem.as_str(), |(message, _)| message).to_owned()
}

/// An object as a list of its entries, so that duplicate names are noticed.
struct EntryList<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for EntryList<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = EntryList<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `name` and `hooks`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(EntryList(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
