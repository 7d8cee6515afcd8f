//! Matchers select the values for which a rule runs.

mod nothing;

pub(crate) use nothing::{has_no_effect, matches_nothing, meant_tool};
#[cfg(feature = "runner")]
pub(crate) use nothing::{names_no_tool, unknown_patterns, unknown_tools};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// A parsed matcher.
///
/// ```
/// use hooks_rules::{Dialect, Event, Matcher};
///
/// let listed = Matcher::read(Dialect::Claude, Event::PreToolUse, Some(&"Edit|Write".into()))?;
/// assert!(listed.selects("Write") && !listed.selects("NotebookEdit"));
/// // With a special character, the whole text is a regular expression that can match anywhere.
/// let expression = Matcher::read(Dialect::Claude, Event::PreToolUse, Some(&"Read|mcp__.*".into()))?;
/// assert!(expression.selects("NotebookRead"));
/// # Ok::<(), hooks_rules::BadMatcher>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher(pub(crate) Form);

#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Matches everything.
    All,
    /// Matches one of these values exactly.
    Exact(Vec<String>),
    /// Matches values in which the expression finds a match.
    Expression(Regex),
}

/// An invalid matcher. Its group selects nothing.
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

/// The size limit of a compiled expression, so that a malicious one causes an error instead of exhausting memory.
const EXPRESSION_LIMIT: usize = 1 << 18;

/// The size limit of a matcher in bytes, because every rule of its group keeps it.
pub(crate) const WRITTEN_LIMIT: usize = 10_000;

impl Matcher {
    /// The matcher that selects every value.
    pub const ALL: Self = Self(Form::All);

    /// Whether it selects this value.
    pub fn selects(&self, value: &str) -> bool {
        match &self.0 {
            Form::All => true,
            Form::Exact(names) => names.iter().any(|name| name == value),
            Form::Expression(expression) => expression.is_match(value),
        }
    }

    /// Whether it selects at least one of these values, which are the names of one thing.
    pub fn selects_any<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> bool {
        matches!(self.0, Form::All) || values.into_iter().any(|value| self.selects(value))
    }

    /// Whether it may select a tool of this MCP server, unless its expression names other servers alone.
    pub(crate) fn may_select_of_server(&self, server: &str) -> bool {
        matches!(self.0, Form::All) || self.named_tools(server).any(|(_, may)| may)
    }

    /// The names and alternatives in it, each with whether it may select a tool of this MCP server.
    pub(crate) fn named_tools(&self, server: &str) -> impl Iterator<Item = (&str, bool)> {
        let own = format!("mcp__{server}__");
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let is_of_other =
            move |rest: &str| rest.split_once("__").is_some_and(|(name, _)| name != server && is_plain(name));
        let names_others = move |part: &str| part.split_once("mcp__").is_some_and(|(_, rest)| is_of_other(rest));
        let (names, expression) = match &self.0 {
            Form::All => (&[][..], None),
            Form::Exact(names) => (&names[..], None),
            Form::Expression(expression) => (&[][..], Some(expression.as_str())),
        };
        let names = names.iter().map(move |name| (name.as_str(), name.starts_with(&own)));
        let parts = expression.into_iter().flat_map(|expression| expression.split('|'));
        names.chain(parts.map(move |part| (part, !names_others(part))))
    }

    /// Whether it selects everything.
    pub fn is_all(&self) -> bool {
        matches!(self.0, Form::All)
    }
}

/// Whether a pattern (`*`, `?`) may select a tool of this MCP server.
pub(crate) fn pattern_may_select_of_server(pattern: &str, server: &str) -> bool {
    let own = format!("mcp__{server}__");
    match pattern.find(['*', '?']) {
        Some(wildcard) => own.starts_with(&pattern[..wildcard]) || pattern[..wildcard].starts_with(&own),
        None => pattern.starts_with(&own),
    }
}

/// The number of bytes of text in a value.
pub(crate) fn length(written: &Value) -> usize {
    match written {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(length).sum::<usize>() + values.len(),
        Value::Object(entries) => entries.iter().map(|(key, value)| key.len() + length(value)).sum(),
        _ => 1,
    }
}

/// Compiles an expression in the common syntax of JavaScript and Rust.
pub(crate) fn expression(pattern: &str) -> Result<Regex, BadMatcher> {
    if pattern.contains(char::is_control) {
        let problem = format!("the matcher {pattern:?} contains a control character, which no name has");
        return Err(BadMatcher::new(problem, "remove it"));
    }
    RegexBuilder::new(pattern).size_limit(EXPRESSION_LIMIT).build().map_err(|error| {
        let look_around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|sign| pattern.contains(sign));
        if look_around {
            return BadMatcher::new(
                format!("the matcher `{pattern}` uses look-around, which is not supported here"),
                "list the names, as in `Edit|Write`",
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

/// Converts a glob (`*`, `?`) to a part of an expression.
pub(crate) fn glob(pattern: &str) -> String {
    pattern
        .chars()
        .map(|c| match c {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            other => regex::escape(other.encode_utf8(&mut [0; 4])),
        })
        .collect()
}
