//! Reads the parameters that a list passes to a hook, and reports every mistake in them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use wildmatch::WildMatch;

/// The fields of parameters that were not read yet, and what is wrong with those that were.
pub(crate) struct Fields {
    given: Map<String, Value>,
    /// All that was given, as text: it tells two entries of a list apart.
    pub(crate) settings: String,
    known: Vec<&'static str>,
    problems: Vec<String>,
}

impl Fields {
    pub(crate) fn new(given: Map<String, Value>) -> Self {
        let settings = Value::Object(given.clone()).to_string();
        Self { given, settings, known: Vec::new(), problems: Vec::new() }
    }

    /// The value of an optional field.
    pub(crate) fn optional<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        let value = self.given.remove(name).filter(|value| !value.is_null())?;
        serde_json::from_value(value).map_err(|error| self.problem(format_args!("`{name}`: {error}"))).ok()
    }

    /// Whether a field that was not read yet is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.get(name).is_some_and(|value| !value.is_null())
    }

    /// The value of a field with a default.
    pub(crate) fn or<T: DeserializeOwned>(&mut self, name: &'static str, default: T) -> T {
        self.optional(name).unwrap_or(default)
    }

    /// The value of a field that has to be given, and not to be empty.
    pub(crate) fn required<T: DeserializeOwned + Default>(&mut self, name: &'static str, expected: &str) -> T {
        let given = self.given.get(name).unwrap_or(&Value::Null);
        if given.is_null() {
            self.problem(format_args!("`{name}` is missing: {expected}"));
        } else if [json!({}), json!([]), json!([""]), json!("")].contains(given) {
            self.problem(format_args!("`{name}` is empty: {expected}"));
        }
        self.optional(name).unwrap_or_default()
    }

    /// Every field, whatever its name.
    pub(crate) fn all(&mut self) -> BTreeMap<String, Value> {
        std::mem::take(&mut self.given).into_iter().collect()
    }

    /// One of these words; the first is the default.
    pub(crate) fn choice<const N: usize>(&mut self, name: &'static str, words: [&'static str; N]) -> &'static str {
        let given: String = self.or(name, words[0].to_owned());
        let known = words.into_iter().find(|word| *word == given);
        known.unwrap_or_else(|| {
            self.problem(unknown(&format!("word in `{name}`"), &given, words.into_iter()));
            words[0]
        })
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

/// The patterns of values that a mask leaves as they are.
pub(crate) fn exceptions(fields: &mut Fields) -> Vec<String> {
    let allow: Vec<String> = fields.or("allow", Vec::new());
    for pattern in allow.iter().filter(|pattern| !pattern.is_empty() && specificity(pattern) == 0) {
        fields.problem(format_args!("`allow`: with `{pattern}`, nothing is masked; name the values that stay"));
    }
    allow
}

/// Patterns with `*` and `?`, such as `web_*`.
pub(crate) fn patterns(fields: &mut Fields, name: &'static str, default: &[&str]) -> Vec<WildMatch> {
    let given: Option<Vec<String>> = fields.optional(name);
    let selects = |given: &Vec<String>| !given.is_empty() && given.iter().all(|pattern| !pattern.is_empty());
    if given.as_ref().is_some_and(|given| !selects(given)) && !default.is_empty() {
        fields.problem(format_args!("`{name}` is empty, so that the hook would do nothing; leave the hook out"));
    }
    let given = given.unwrap_or_else(|| default.iter().map(|pattern| (*pattern).to_owned()).collect());
    given.iter().map(|pattern| WildMatch::new(pattern)).collect()
}

/// The values of a map from patterns, the most specific pattern first.
pub(crate) fn by_pattern<T>(given: BTreeMap<String, T>) -> Vec<(WildMatch, T)> {
    let mut read: Vec<_> = given.into_iter().collect();
    read.sort_by_key(|(pattern, _)| Reverse(specificity(pattern)));
    read.into_iter().map(|(pattern, value)| (WildMatch::new(&pattern), value)).collect()
}

/// How specific a pattern is: the number of its characters that stand for themselves.
pub(crate) fn specificity(pattern: &str) -> usize {
    pattern.chars().filter(|c| !"*?".contains(*c)).count()
}

/// The lines of a file in `data`, without comments.
pub(crate) fn rows(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter_map(|line| line.split('#').next()).map(str::trim).filter(|line| !line.is_empty())
}

/// Says that a name is unknown, and which one was probably meant.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let limit = (name.chars().count() / 3).max(1);
    // Of two that are equally near, one with the same first letter.
    let begins = |known: &str| known.chars().next() == name.chars().next();
    let near = known.clone().map(|known| (strsim::osa_distance(name, known), !begins(known), known)).min();
    match near.filter(|(distance, ..)| *distance <= limit) {
        Some((.., near)) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`, expected one of `{}`", known.collect::<Vec<_>>().join("`, `")),
    }
}

/// Reads parameters from a JSON object with this function.
macro_rules! from_fields {
    ($name:ident, $read:expr) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut fields = $crate::parameters::Fields::new(serde::Deserialize::deserialize(deserializer)?);
                let read: fn(&mut $crate::parameters::Fields) -> Self = $read;
                let parameters = read(&mut fields);
                fields.finish(parameters).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use from_fields;
