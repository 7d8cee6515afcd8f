//! Parses definitions from TOML, with the offset of every field.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{DefinitionError, invalid};
use super::fields::{DefinitionFields, ParsedField};

pub(crate) fn parse(file: &Arc<Path>, text: &str, what: &str) -> Result<DefinitionFields, DefinitionError> {
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        invalid(file, text, offset, error.message().to_owned())
    })?;
    let field = |(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| {
        let (at, start) = (key.span().start, value.span().start);
        let elements = match value.get_ref() {
            DeValue::Array(elements) => elements.iter().map(|element| element.span().start).collect(),
            _ => Vec::new(),
        };
        Ok(ParsedField { name: key.into_inner().into_owned(), at, start, value: json(file, text, value)?, elements })
    };
    let fields: Result<Vec<ParsedField>, _> = table.into_inner().into_iter().map(field).collect();
    DefinitionFields::of(file, text, what, fields?)
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
