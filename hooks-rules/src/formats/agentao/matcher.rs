//! An object with `tool_name` or `toolName` at the events of tools, and `trigger` before a compaction. A pattern is a
//! glob with `*` and `?`, several globs separated by `|`, or a regular expression between `^` and `$`. It has to match
//! the whole value.

use serde_json::Value;

use crate::event::Event;
use crate::json_type::json_type_name;
use crate::matcher::{BadMatcher, Form, expression, glob};

/// The keys that a matcher of an event can have. Empty if every rule runs regardless of its matcher.
pub(super) fn keys(event: Event) -> &'static [&'static str] {
    match event {
        Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure => &["tool_name", "toolName"],
        Event::PreCompact => &["trigger"],
        _ => &[],
    }
}

pub(super) fn read(event: Event, written: &Value) -> Result<Form, BadMatcher> {
    let keys = keys(event);
    if keys.is_empty() {
        return Ok(Form::All);
    }
    let Value::Object(entries) = written else {
        return Err(BadMatcher::new(
            format!("a matcher of a flat handler is an object, not {}", json_type_name(written)),
            format!("write `\"matcher\": {{\"{}\": \"…\"}}`", keys[0]),
        ));
    };
    if let Some(unknown) = entries.keys().find(|key| !keys.contains(&key.as_str())) {
        // Ignoring an unknown key would apply a guard for one tool to all tools.
        return Err(BadMatcher::new(
            format!("{event} cannot be matched by `{unknown}`"),
            format!("write `\"matcher\": {{\"{}\": \"…\"}}`", keys[0]),
        ));
    }
    if entries.len() > 1 {
        return Err(BadMatcher::new("`tool_name` and `toolName` are the same; both are there", "keep one"));
    }
    let Some(pattern) = entries.values().next() else { return Ok(Form::All) };
    let Value::String(pattern) = pattern else {
        return Err(BadMatcher::new(
            format!("a pattern is a string, not {}", json_type_name(pattern)),
            "write a name, a glob such as `read_*`, or an expression such as `^(Edit|Write)$`",
        ));
    };
    if event == Event::PreCompact {
        return whole(pattern).map(Form::Expression);
    }
    if pattern.starts_with('^') || pattern.ends_with('$') {
        let inner = pattern.strip_prefix('^').unwrap_or(pattern);
        let inner = inner.strip_suffix('$').unwrap_or(inner);
        return whole(inner).map(Form::Expression);
    }
    if pattern == "*" {
        return Ok(Form::All);
    }
    let globs: Vec<String> = pattern.split('|').map(str::trim).filter(|glob| !glob.is_empty()).map(glob).collect();
    if globs.is_empty() {
        return Err(BadMatcher::new("an empty pattern matches nothing", "write `*` for all"));
    }
    // A single expression, because each compiled expression takes memory.
    expression(&format!(r"(?s)\A(?:{})\z", globs.join("|"))).map(Form::Expression)
}

fn whole(pattern: &str) -> Result<regex::Regex, BadMatcher> {
    // Check the pattern alone first: the added group could balance its parentheses.
    expression(pattern)?;
    expression(&format!(r"\A(?:{pattern})\z"))
}
