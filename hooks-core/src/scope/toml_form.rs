//! Parses definitions from TOML, with the position of every error.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::HookUse;
use super::json::{DefinitionError, all, invalid, misplaced};
use crate::source::Places;

/// The fields of a definition.
pub(crate) struct Parsed {
    pub(crate) name: String,
    pub(crate) hooks: Option<Vec<HookUse>>,
    pub(crate) extra: Map<String, Value>,
}

pub(crate) fn parse(file: &Arc<Path>, text: &str, what: &str) -> Result<Parsed, DefinitionError> {
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        invalid(file, text, offset, error.message().to_owned())
    })?;
    let table = table.into_inner();
    let declares_hooks = table.iter().any(|(key, _)| key.get_ref() == "hooks");
    let mut parsed = Parsed { name: String::new(), hooks: None, extra: Map::new() };
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "name" => match value.get_ref() {
                DeValue::String(name) => parsed.name = name.to_string(),
                _ => {
                    return Err(invalid(
                        file,
                        text,
                        value.span().start,
                        format!("expected the {what}'s `name` to be a string"),
                    ));
                }
            },
            "hooks" => parsed.hooks = Some(hooks(file, text, &value)?),
            other => {
                let value = json(file, text, value)?;
                if let Some(problem) = misplaced(other, &value, what, declares_hooks) {
                    return Err(invalid(file, text, key.span().start, problem));
                }
                parsed.extra.insert(other.to_owned(), value);
            }
        }
    }
    Ok(parsed)
}

fn hooks(file: &Arc<Path>, text: &str, list: &Spanned<DeValue<'_>>) -> Result<Vec<HookUse>, DefinitionError> {
    let DeValue::Array(entries) = list.get_ref() else {
        return Err(invalid(
            file,
            text,
            list.span().start,
            "expected `hooks` to be a list of ids, such as [\"redact_pii\"]",
        ));
    };
    let mut places = Places::new(file, text);
    let read = |entry: &Spanned<DeValue<'_>>| {
        let place = places.at(entry.span().start);
        let value = json(file, text, entry.clone())?;
        match serde_json::from_value::<HookUse>(value) {
            Ok(hook) => Ok(HookUse { place: Some(place), ..hook }),
            Err(error) => Err(DefinitionError::Invalid { place, problem: error.to_string() }),
        }
    };
    all(entries.iter().map(read))
}

/// Converts a value to JSON, the form of parameters and extra fields. JSON has no dates, so a date becomes its text.
fn json(file: &Arc<Path>, text: &str, value: Spanned<DeValue<'_>>) -> Result<Value, DefinitionError> {
    let start = value.span().start;
    match value.into_inner() {
        DeValue::Datetime(date) => Ok(Value::String(date.to_string())),
        DeValue::Array(entries) => {
            let entries: Result<Vec<Value>, _> = entries.into_iter().map(|entry| json(file, text, entry)).collect();
            entries.map(Value::Array)
        }
        DeValue::Table(fields) => {
            let field = |(key, value): (Spanned<Cow<'_, str>>, _)| {
                Ok((key.into_inner().into_owned(), json(file, text, value)?))
            };
            fields.into_iter().map(field).collect::<Result<Map<String, Value>, _>>().map(Value::Object)
        }
        scalar => {
            let deserializer = toml::de::ValueDeserializer::from(Spanned::new(start..start, scalar));
            serde::Deserialize::deserialize(deserializer)
                .map_err(|error: toml::de::Error| invalid(file, text, start, error.message().to_owned()))
        }
    }
}
