//! Rewrites the strings, keys and numbers of a JSON text. Its layout stays as it was written.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns a text without what it must not contain; `None` if it contains nothing of it.
pub(crate) type Edit<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// Rewrites a text: JSON one string, key and number at a time, so that it stays JSON, and any other text as a whole.
pub(crate) fn rewrite(text: &str, edit: Edit<'_>) -> Option<String> {
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_json { Rewriter { json: text, written: None, copied: 0 }.run(edit) } else { edit(text) }
}

/// Whether a value contains a string, key or number that `edit` would rewrite.
pub(crate) fn touches(value: &Value, edit: Edit<'_>) -> bool {
    match value {
        Value::String(text) => !is_opaque(text) && rewrite(text, edit).is_some(),
        Value::Array(items) => items.iter().any(|item| touches(item, edit)),
        Value::Object(fields) => fields.iter().any(|(key, value)| edit(key).is_some() || touches(value, edit)),
        Value::Number(number) => edit(&number.to_string()).is_some(),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Whether a text is data in base64, such as an image.
fn is_opaque(text: &str) -> bool {
    text.len() > 128 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
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
        // For each open object, how often each new key was written, so that two keys do not become one.
        let mut keys: Vec<HashMap<String, usize>> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'{' => keys.push(HashMap::new()),
                b'}' => drop(keys.pop()),
                b'"' => {
                    at += 1 + end_of_string(&self.json[at + 1..]);
                    let inside = start + 1..at;
                    let is_key = self.json[at + 1..].trim_start().starts_with(':');
                    let edited = edited(&self.json[inside], edit);
                    match (edited, keys.last_mut().filter(|_| is_key)) {
                        (None, _) => {}
                        (Some(new), None) => self.write(start, at + 1, &new),
                        (Some(new), Some(written)) => {
                            let count = written.entry(new.clone()).or_default();
                            *count += 1;
                            let new = if *count > 1 { format!("{new} {count}") } else { new };
                            self.write(start, at + 1, &new);
                        }
                    }
                }
                b'0'..=b'9' | b'-' => {
                    let length = self.json[at..].find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c));
                    at += length.unwrap_or(bytes.len() - at) - 1;
                    if let Some(new) = edit(&self.json[start..=at]) {
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
fn edited(raw: &str, edit: Edit<'_>) -> Option<String> {
    if !raw.contains('\\') {
        return if is_opaque(raw) { None } else { edit(raw) };
    }
    let text: String = serde_json::from_str(&format!("\"{raw}\"")).ok()?;
    // A string may contain JSON itself, such as the arguments that a tool repeats.
    rewrite(&text, edit)
}
