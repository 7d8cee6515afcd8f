//! Parses definitions from JSON, with the offset of every field.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::{DefinitionError, all, invalid};
use super::fields::{DefinitionFields, ParsedField};

pub(crate) fn parse(file: &Arc<Path>, text: &str, what: &str) -> Result<DefinitionFields, DefinitionError> {
    let start = text.trim_start();
    if !start.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok() {
        let article = if what == "prompt" { "a" } else { "an" };
        let problem = format!("expected {article} {what}: an object with `name` and `hooks`");
        return Err(invalid(file, text, text.len() - start.len(), problem));
    }
    let EntryList(entries) = serde_json::from_str(text).map_err(|error| syntax(file, text, 0, text, &error))?;
    let field = |(name, raw): (String, &RawValue)| {
        let start = offset(text, raw);
        // Well-formed JSON may still fail, for example because it is nested too deep or contains a lone surrogate.
        let value = serde_json::from_str(raw.get()).map_err(|error| syntax(file, text, start, raw.get(), &error))?;
        let is_list = name == "hooks" && raw.get().starts_with('[');
        let elements: Vec<&RawValue> =
            if is_list { serde_json::from_str(raw.get()).unwrap_or_default() } else { Vec::new() };
        let elements = elements.into_iter().map(|element| offset(text, element)).collect();
        Ok(ParsedField { at: key_offset(text, raw, &name), name, start, value, elements })
    };
    let fields = all(entries.into_iter().map(field))?;
    // All values could be parsed, so that nothing is nested too deep here.
    match serde_json::from_str(text).ok().and_then(twice) {
        Some((name, value)) => Err(invalid(
            file,
            text,
            key_offset(text, value, &name),
            format!("the field `{name}` appears twice; keep one"),
        )),
        None => DefinitionFields::of(file, text, what, fields),
    }
}

/// The second of two fields of one object with the same name. Otherwise the first would be lost.
fn twice(value: &RawValue) -> Option<(String, &RawValue)> {
    if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        return elements.into_iter().find_map(twice);
    }
    let EntryList(entries) = serde_json::from_str(value.get()).ok()?;
    let mut names = HashSet::new();
    entries.into_iter().find_map(
        |(name, value)| {
            if names.insert(name.clone()) { twice(value) } else { Some((name, value)) }
        },
    )
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

/// An object as a list of its entries, of which several may have the same name.
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
