//! Which values a rule is for.

mod nothing;

pub(crate) use nothing::{has_no_effect, matches_nothing};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// A matcher, ready to be held against values.
///
/// ```
/// use hooks_rules::{Dialect, Event, Matcher};
///
/// let listed = Matcher::read(Dialect::Claude, Event::PreToolUse, Some(&"Edit|Write".into()))?;
/// assert!(listed.selects("Write") && !listed.selects("NotebookEdit"));
/// // One special character, and all of it is a regular expression that may match anywhere.
/// let expression = Matcher::read(Dialect::Claude, Event::PreToolUse, Some(&"Read|mcp__.*".into()))?;
/// assert!(expression.selects("NotebookRead"));
/// # Ok::<(), hooks_rules::BadMatcher>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher(pub(crate) Form);

#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Everything.
    All,
    /// One of these, letter by letter.
    Exact(Vec<String>),
    /// Something the expression finds.
    Expression(Regex),
}

/// A matcher that cannot be read. Its group selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; {help}")]
#[non_exhaustive]
pub struct BadMatcher {
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub help: String,
}

impl BadMatcher {
    pub(crate) fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: help.into() }
    }
}

/// Compiled expressions are kept small, so that a hostile one costs an error and not the memory.
const EXPRESSION_LIMIT: usize = 1 << 18;

/// How many bytes of a matcher are read: it is kept for every rule of its group.
pub(crate) const WRITTEN_LIMIT: usize = 10_000;

impl Matcher {
    /// The matcher that selects everything.
    pub const ALL: Self = Self(Form::All);

    /// Whether it selects this value.
    pub fn selects(&self, value: &str) -> bool {
        match &self.0 {
            Form::All => true,
            Form::Exact(names) => names.iter().any(|name| name == value),
            Form::Expression(expression) => expression.is_match(value),
        }
    }

    /// Whether it selects one of these, the names that one value has.
    pub fn selects_any<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> bool {
        matches!(self.0, Form::All) || values.into_iter().any(|value| self.selects(value))
    }

    /// Whether it selects everything.
    pub fn is_all(&self) -> bool {
        matches!(self.0, Form::All)
    }
}

/// How many bytes of text a value holds.
pub(crate) fn length(written: &Value) -> usize {
    match written {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(length).sum::<usize>() + values.len(),
        Value::Object(entries) => entries.iter().map(|(key, value)| key.len() + length(value)).sum(),
        _ => 1,
    }
}

/// An expression in the syntax that JavaScript and Rust share.
pub(crate) fn expression(pattern: &str) -> Result<Regex, BadMatcher> {
    RegexBuilder::new(pattern).size_limit(EXPRESSION_LIMIT).build().map_err(|error| {
        let look_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|sign| pattern.contains(sign));
        if look_around {
            return BadMatcher::new(
                format!("the matcher `{pattern}` uses look-around, which is not supported here"),
                "list the names that are meant, as in `Edit|Write`",
            );
        }
        let text = error.to_string();
        let cause = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
        BadMatcher::new(
            format!("the matcher `{pattern}` is not a regular expression: {cause}"),
            "write names as in `Edit|Write`, or an expression as in `mcp__.*`",
        )
    })
}
