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
    if !is_json {
        return edit(name, text);
    }
    let Walker { written, copied, .. } = Walker::walked(name, text, edit);
    written.map(|written| written + &text[copied..])
}

/// The pointers to what `edit` would rewrite. A key that it would rewrite is in them as it would be then.
pub(crate) fn places(value: &Value, edit: Edit<'_>) -> Vec<String> {
    Walker::walked("", &value.to_string(), edit).places
}

/// Keys under which an entry of a list has its name: `{"name": "DB_PASSWORD", "value": "…"}`.
const ENTRIES: &[&str] = &["name", "key", "header", "Name", "Key"];

/// Of longer data in base64, such as an image, only the beginning is looked at.
const DATA: usize = 1_024;

struct Walker<'a, 'e> {
    /// Valid, so every quote outside a string opens one.
    json: &'a str,
    edit: Edit<'e>,
    path: Vec<String>,
    places: Vec<String>,
    written: Option<String>,
    copied: usize,
}

impl<'a, 'e> Walker<'a, 'e> {
    fn walked(name: &str, json: &'a str, edit: Edit<'e>) -> Self {
        let mut walker = Self { json, edit, path: vec![], places: vec![], written: None, copied: 0 };
        walker.value(name, None, json.len() - json.trim_start().len());
        walker
    }

    /// Rewrites the value that begins here. `before` is what the item before it in a list may call it.
    fn value(&mut self, name: &str, before: Option<&str>, start: usize) {
        match self.json.as_bytes()[start] {
            b'{' => self.object(name, start),
            b'[' => self.list(name, start),
            b'"' | b'-' | b'0'..=b'9' => {
                let new = self.edited(name, start);
                if let Some(new) = new.or_else(|| before.and_then(|before| self.edited(before, start))) {
                    self.write(start, &new);
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, name: &str, start: usize) {
        let starts = self.inside(start);
        let fields: Vec<_> = starts.chunks_exact(2).map(|field| (self.text(field[0]), field[0], field[1])).collect();
        let entry = ENTRIES.iter().find_map(|entry| fields.iter().find(|(key, ..)| key == entry));
        let entry = entry.filter(|(.., value)| self.is_text(*value)).map(|(.., value)| self.text(*value));
        // How often each new key was written, so that two keys do not become one.
        let mut written: HashMap<String, usize> = HashMap::new();
        for (key, key_at, value) in fields {
            let new = self.edited("", key_at).map(|new| {
                let count = written.entry(new.clone()).or_default();
                *count += 1;
                if *count > 1 { format!("{new} {count}") } else { new }
            });
            let of_entry = entry.as_deref().or(Some(name)).filter(|name| !name.is_empty());
            let called = of_entry.filter(|_| key.eq_ignore_ascii_case("value")).unwrap_or(&key);
            self.path.push(new.clone().unwrap_or_else(|| key.clone()));
            if let Some(new) = new {
                self.write(key_at, &new);
            }
            self.value(called, None, value);
            self.path.pop();
        }
    }

    fn list(&mut self, name: &str, start: usize) {
        let items = self.inside(start);
        for (at, item) in items.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| items[before]).filter(|_| self.is_text(*item));
            let before = before.filter(|before| self.is_text(*before)).map(|before| self.text(before));
            // `["--password", "…"]`, `["X-Api-Key", "…"]`, but not `["user", "password", "name"]`.
            let calls = |before: &String| {
                let is_header = before.contains('-') || name.to_ascii_lowercase().ends_with("headers");
                let is_pair = items.len() == 2
                    && is_header
                    && !["required", "fields", "columns"].contains(&name)
                    && self.text(*item).contains(|c: char| c.is_ascii_digit());
                !before.contains([' ', '=']) && (before.starts_with('-') || is_pair)
            };
            let before = before.filter(calls);
            self.path.push(at.to_string());
            self.value(name, before.as_deref().map(|before| before.trim_start_matches('-')), *item);
            self.path.pop();
        }
    }

    /// Where the keys and values of the object, or the items of the list, begin.
    fn inside(&self, start: usize) -> Vec<usize> {
        let (bytes, mut starts, mut at) = (self.json.as_bytes(), Vec::new(), start + 1);
        loop {
            match bytes.get(at) {
                None | Some(b'}' | b']') => return starts,
                Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') => at += 1,
                Some(_) => {
                    starts.push(at);
                    at = end(self.json, at);
                }
            }
        }
    }

    fn is_text(&self, start: usize) -> bool {
        self.json[start..].starts_with('"')
    }

    fn text(&self, start: usize) -> String {
        serde_json::from_str(&self.json[start..end(self.json, start)]).unwrap_or_default()
    }

    /// The new content of a string or number. `edit` sees a text without escapes: `\n4111…` is a card after a line break.
    fn edited(&mut self, name: &str, start: usize) -> Option<String> {
        let value = &self.json[start..end(self.json, start)];
        let raw = value.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(value);
        if !raw.contains('\\') {
            let is_data = raw.len() > DATA && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
            return (self.edit)(name, if is_data { &raw[..DATA] } else { raw });
        }
        let text = serde_json::from_str(value).or_else(|_| serde_json::from_str(&format!("\"{}\"", paired(raw))));
        let text: String = text.ok()?;
        // A string may contain JSON itself, such as the arguments that a tool repeats.
        rewrite_named(name, &text, self.edit)
    }

    /// Replaces what begins here by a string.
    fn write(&mut self, start: usize, new: &str) {
        let written = self.written.get_or_insert_with(String::new);
        written.push_str(&self.json[self.copied..start]);
        written.push_str(&Value::from(new).to_string());
        self.copied = end(self.json, start);
        self.places.push(self.path.iter().flat_map(|part| ["/", part]).collect());
    }
}

/// The end of the value that begins here.
fn end(json: &str, start: usize) -> usize {
    let bytes = json.as_bytes();
    let (mut at, mut depth, mut is_inside) = (start, 0_usize, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            // A backslash escapes the next byte.
            b'\\' if is_inside => at += 1,
            b'"' => is_inside = !is_inside,
            _ if is_inside => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {
                at += 1;
                let goes_on = bytes.get(at).is_some_and(|next| !b",:]} \t\r\n".contains(next));
                if depth == 0 && !goes_on {
                    return at;
                }
                continue;
            }
        }
        at += 1;
        if depth == 0 && !is_inside {
            return at;
        }
    }
    json.len()
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
