//! Rewrites the strings, keys and numbers of a JSON text. Its layout stays as it was written.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns a text without what it must not contain; `None` if it contains nothing of it. The first text is the key of
/// the field that holds the second, or empty.
pub(crate) type Edit<'a> = &'a mut dyn FnMut(&str, &str) -> Option<String>;

/// Rewrites a text: JSON one string, key and number at a time, so that it stays JSON, and any other text as a whole.
pub(crate) fn rewrite(text: &str, edit: Edit<'_>) -> Option<String> {
    rewrite_named("", text, edit)
}

/// Like [`rewrite`], for a text that stands under this key.
pub(crate) fn rewrite_named(name: &str, text: &str, edit: Edit<'_>) -> Option<String> {
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_json { Rewriter { json: text, written: None, copied: 0 }.run(edit) } else { edit(name, text) }
}

/// Whether a value contains a string, key or number that `edit` would rewrite.
pub(crate) fn touches(name: &str, value: &Value, edit: Edit<'_>) -> bool {
    match value {
        Value::String(text) => !is_opaque(text) && rewrite_named(name, text, edit).is_some(),
        Value::Array(items) => items.iter().any(|item| touches(name, item, edit)),
        Value::Object(fields) => {
            let entry = ENTRIES.iter().find_map(|key| fields.get(*key)?.as_str());
            fields.iter().any(|(key, value)| {
                edit("", key).is_some() || touches(entry.filter(|_| is_value(key)).unwrap_or(key), value, edit)
            })
        }
        Value::Number(number) => edit(name, &number.to_string()).is_some(),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Keys under which an entry of a list has its name: `{"name": "DB_PASSWORD", "value": "…"}`.
const ENTRIES: &[&str] = &["name", "key", "header", "Name", "Key"];

fn is_value(key: &str) -> bool {
    key.eq_ignore_ascii_case("value")
}

/// Whether a text is data in base64, such as an image.
fn is_opaque(text: &str) -> bool {
    text.len() > 128 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

/// An open object or list.
#[derive(Default)]
struct Level {
    /// The last key.
    name: String,
    /// What the object says that its value is called.
    entry: Option<String>,
    /// How often each new key was written, so that two keys do not become one.
    written: HashMap<String, usize>,
}

impl Level {
    /// What the value that comes now is called.
    fn field(&self) -> &str {
        self.entry.as_deref().filter(|_| is_value(&self.name)).unwrap_or(&self.name)
    }
}

struct Rewriter<'a> {
    /// Valid, so every quote outside a string opens one.
    json: &'a str,
    written: Option<String>,
    copied: usize,
}

impl Rewriter<'_> {
    fn run(mut self, edit: Edit<'_>) -> Option<String> {
        let bytes = self.json.as_bytes();
        let mut open: Vec<Level> = vec![Level::default()];
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'{' | b'[' => {
                    let name = open.last().map(|level| level.name.clone()).unwrap_or_default();
                    open.push(Level { name, ..Level::default() });
                }
                b'}' | b']' => drop(open.pop()),
                b'"' => {
                    at += 1 + end_of_string(&self.json[at + 1..]);
                    let inside = start + 1..at;
                    let is_key = self.json[at + 1..].trim_start().starts_with(':');
                    let raw = &self.json[inside];
                    let Some(level) = open.last_mut() else { break };
                    let text = || serde_json::from_str(&self.json[start..=at]).unwrap_or_default();
                    let new = edited(if is_key { "" } else { level.field() }, raw, edit);
                    if is_key {
                        level.name = text();
                    } else if ENTRIES.contains(&level.name.as_str()) {
                        level.entry = Some(text());
                    }
                    let count = new.as_ref().filter(|_| is_key).map_or(0, |new| {
                        let count = level.written.entry(new.clone()).or_default();
                        *count += 1;
                        *count
                    });
                    match new {
                        Some(new) if count > 1 => self.write(start, at + 1, &format!("{new} {count}")),
                        Some(new) => self.write(start, at + 1, &new),
                        None => {}
                    }
                }
                b'0'..=b'9' | b'-' => {
                    let length = self.json[at..].find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c));
                    at += length.unwrap_or(bytes.len() - at) - 1;
                    let name = open.last().map_or("", Level::field);
                    if let Some(new) = edit(name, &self.json[start..=at]) {
                        self.write(start, at + 1, &new);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        let mut written = self.written?;
        written.push_str(&self.json[self.copied..]);
        Some(written)
    }

    /// Replaces a part of the text by a string.
    fn write(&mut self, start: usize, end: usize, new: &str) {
        let written = self.written.get_or_insert_with(String::new);
        written.push_str(&self.json[self.copied..start]);
        written.push_str(&Value::from(new).to_string());
        self.copied = end;
    }
}

/// The index of the closing quote. A backslash escapes the next byte.
fn end_of_string(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// The new content of a string. `edit` sees the text without escapes: `\n4111…` is a card after a line break.
fn edited(name: &str, raw: &str, edit: Edit<'_>) -> Option<String> {
    if !raw.contains('\\') {
        return if is_opaque(raw) { None } else { edit(name, raw) };
    }
    let text =
        serde_json::from_str(&format!("\"{raw}\"")).or_else(|_| serde_json::from_str(&format!("\"{}\"", paired(raw))));
    let text: String = text.ok()?;
    // A string may contain JSON itself, such as the arguments that a tool repeats.
    rewrite_named(name, &text, edit)
}

/// A string whose halves of characters outside of pairs, which JSON permits and a text cannot have, are replaced.
fn paired(raw: &str) -> String {
    let half = |at: usize, range: std::ops::Range<u32>| {
        let code = raw.get(at..at + 6).and_then(|code| code.strip_prefix("\\u"));
        code.and_then(|code| u32::from_str_radix(code, 16).ok()).is_some_and(|code| range.contains(&code))
    };
    let (first, second) = (0xd800..0xdc00, 0xdc00..0xe000);
    let (mut text, mut at) = (String::new(), 0);
    while let Some(c) = raw[at..].chars().next() {
        let length = match c {
            '\\' if half(at, first.clone()) && half(at + 6, second.clone()) => 12,
            '\\' if half(at, first.start..second.end) => {
                text.push('\u{fffd}');
                at += 6;
                continue;
            }
            '\\' => 1 + raw[at + 1..].chars().next().map_or(0, char::len_utf8),
            c => c.len_utf8(),
        };
        text.push_str(&raw[at..at + length]);
        at += length;
    }
    text
}
