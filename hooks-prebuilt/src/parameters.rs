//! Reads the parameters that a list passes to a hook, and reports every mistake in them.

use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use wildmatch::WildMatch;

/// The fields of parameters that were not read yet, and what is wrong with those that were.
pub(crate) struct Fields {
    given: Map<String, Value>,
    known: Vec<&'static str>,
    problems: Vec<String>,
}

impl Fields {
    pub(crate) fn new(given: Map<String, Value>) -> Self {
        Self { given, known: Vec::new(), problems: Vec::new() }
    }

    /// The value of an optional field.
    pub(crate) fn optional<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        let value = self.given.remove(name).filter(|value| !value.is_null())?;
        serde_json::from_value(value).map_err(|error| self.problem(format_args!("`{name}`: {error}"))).ok()
    }

    /// The value of a field with a default.
    pub(crate) fn or<T: DeserializeOwned>(&mut self, name: &'static str, default: T) -> T {
        self.optional(name).unwrap_or(default)
    }

    /// The value of a field that has to be given.
    pub(crate) fn required<T: DeserializeOwned + Default>(&mut self, name: &'static str, expected: &str) -> T {
        let missing = self.given.get(name).is_none_or(Value::is_null);
        if missing {
            self.problem(format_args!("`{name}` is missing: {expected}"));
        }
        self.optional(name).unwrap_or_default()
    }

    pub(crate) fn problem(&mut self, problem: impl Display) {
        self.problems.push(problem.to_string());
    }

    /// Whether nothing was found to be wrong yet.
    pub(crate) fn is_fine(&self) -> bool {
        self.problems.is_empty()
    }

    /// The parameters, unless something is wrong with them.
    pub(crate) fn finish<T>(mut self, parameters: T) -> Result<T, String> {
        let known = std::mem::take(&mut self.known);
        for name in std::mem::take(&mut self.given).keys() {
            self.problem(unknown("field", name, known.iter().copied()));
        }
        if self.problems.is_empty() { Ok(parameters) } else { Err(self.problems.join("; ")) }
    }
}

/// Patterns with `*` and `?`, such as `web_*`.
pub(crate) fn patterns(fields: &mut Fields, name: &'static str, default: &[&str]) -> Vec<WildMatch> {
    let given: Option<Vec<String>> = fields.optional(name);
    let given = given.unwrap_or_else(|| default.iter().map(|pattern| (*pattern).to_owned()).collect());
    given.iter().map(|pattern| WildMatch::new(pattern)).collect()
}

/// Says that a name is unknown, and which one was probably meant.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let limit = (name.chars().count() / 3).max(1);
    let near = known.clone().map(|known| (strsim::osa_distance(name, known), known)).min();
    match near.filter(|(distance, _)| *distance <= limit) {
        Some((_, near)) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`, expected one of `{}`", known.collect::<Vec<_>>().join("`, `")),
    }
}

/// Reads parameters from a JSON object with this function.
macro_rules! from_fields {
    ($name:ident, $read:expr) => {
        impl TryFrom<serde_json::Map<String, serde_json::Value>> for $name {
            type Error = String;

            fn try_from(given: serde_json::Map<String, serde_json::Value>) -> Result<Self, String> {
                let mut fields = $crate::parameters::Fields::new(given);
                let read: fn(&mut $crate::parameters::Fields) -> Self = $read;
                let parameters = read(&mut fields);
                fields.finish(parameters)
            }
        }
    };
}

pub(crate) use from_fields;
