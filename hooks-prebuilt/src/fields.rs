//! Fields of a tool's arguments, as lists name them: `url`, `/files/*/path`.

use std::collections::BTreeMap;

use hook_sdk::data::json_type_name;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::parameters::Fields;

/// A path to fields. `*` stands for every item of a list and every value of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    parts: Vec<String>,
    /// Whether it may be missing.
    optional: bool,
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/{}", self.parts.join("/"))
    }
}

impl Field {
    /// Reads `url`, `url?` or `/files/*/path`.
    pub(crate) fn parse(text: &str) -> Self {
        let (path, optional) = text.strip_suffix('?').map_or((text, false), |path| (path, true));
        let part = |part: &str| part.replace("~1", "/").replace("~0", "~");
        Self { parts: path.trim_start_matches('/').split('/').map(part).collect(), optional }
    }

    /// The values of the field.
    ///
    /// # Errors
    /// What was expected, if there are none.
    pub(crate) fn values<'a>(&self, input: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut values = vec![input];
        for part in &self.parts {
            let mut found = Vec::new();
            for value in values {
                let child = || value.get(part).or_else(|| value.get(part.parse::<usize>().ok()?));
                match value {
                    Value::Array(items) if part == "*" => found.extend(items),
                    Value::Object(fields) if part == "*" => found.extend(fields.values()),
                    _ => match child() {
                        Some(child) => found.push(child),
                        None if self.optional && value.is_object() => {}
                        None => {
                            let found = json_type_name(value);
                            return Err(format!("expected a field `{self}`, and found {found} without it"));
                        }
                    },
                }
            }
            values = found;
        }
        Ok(values)
    }
}

/// The fields of the arguments of each tool, by patterns of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldsOf(Vec<(WildMatch, Vec<Field>)>);

impl FieldsOf {
    /// Reads `fields`, which has to name some.
    pub(crate) fn required(fields: &mut Fields, example: &str) -> Self {
        let expected = format!("the fields that are judged, such as {example}");
        let given: BTreeMap<String, Vec<String>> = fields.required("fields", &expected);
        Self::read(given, fields)
    }

    pub(crate) fn read(given: BTreeMap<String, Vec<String>>, fields: &mut Fields) -> Self {
        let read = given.into_iter().map(|(pattern, names)| {
            if names.is_empty() {
                fields.problem(format_args!(
                    "`fields.{pattern}` names no field; write one such as `path` or `/files/*/path`"
                ));
            }
            (WildMatch::new(&pattern), names.iter().map(|name| Field::parse(name)).collect())
        });
        Self(read.collect())
    }

    /// The values of the fields of a tool. Every pattern that matches it counts.
    ///
    /// # Errors
    /// What was expected, if there is no such field.
    pub(crate) fn values<'a>(&self, tool: &str, input: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut values = Vec::new();
        for field in self.0.iter().filter(|(pattern, _)| pattern.matches(tool)).flat_map(|(_, fields)| fields) {
            values.extend(field.values(input)?);
        }
        Ok(values)
    }

    /// The texts of the fields of a tool, each of which may be a list of texts.
    ///
    /// # Errors
    /// What was expected, if there is no such field or something else in it.
    pub(crate) fn texts<'a>(&self, tool: &str, input: &'a Value, expected: &str) -> Result<Vec<&'a str>, String> {
        let values = self.values(tool, input)?.into_iter();
        let items = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
        let wrong = || format!("expected {expected}, and found something else than a text");
        items.map(|item| item.as_str().ok_or_else(wrong)).collect()
    }
}
