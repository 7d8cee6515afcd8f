//! Rewrites the strings, keys and numbers of a JSON text. Its layout stays as it was written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::{Captures, Regex};
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
    let Walker { written, copied, .. } = Walker::walked(name, text, edit, None);
    written.map(|written| written + &text[copied..])
}

/// The pointers to what `edit` would rewrite. A key that it would rewrite is in them as it would be then.
pub(crate) fn places(value: &Value, edit: Edit<'_>) -> Vec<String> {
    let json = value.to_string();
    let mut places = Vec::new();
    Walker::walked("", &json, edit, Some(&mut places));
    places
}

/// A longer key says nothing about its value, and would be read with each value in it.
const NAME: usize = 256;

/// Keys under which an entry of a list has its name: `{"name": "DB_PASSWORD", "value": "…"}`.
const ENTRIES: &[&str] = &["name", "key", "header", "Name", "Key"];

struct Walker<'a, 'e> {
    /// Valid, so every quote outside a string opens one.
    json: &'a str,
    /// Where the objects and lists end, by where they begin.
    ends: HashMap<usize, usize>,
    edit: Edit<'e>,
    /// The values that follow, the next one last. They can be within each other deeper than the stack is.
    open: Vec<Item>,
    path: Vec<String>,
    places: Option<&'e mut Vec<String>>,
    written: Option<String>,
    copied: usize,
}

struct Item {
    start: usize,
    /// The key or index, and how many there are before it in the path.
    part: String,
    depth: usize,
    /// Where the key begins, and what replaces it.
    key: Option<(usize, String)>,
    name: Rc<str>,
    /// What the item before it in a list may call it.
    before: Option<String>,
}

impl<'a, 'e> Walker<'a, 'e> {
    fn walked(name: &str, json: &'a str, edit: Edit<'e>, places: Option<&'e mut Vec<String>>) -> Self {
        let root = json.len() - json.trim_start().len();
        let (ends, path, open) = (ends(json), Vec::new(), Vec::new());
        let mut walker = Self { json, ends, edit, open, path, places, written: None, copied: 0 };
        walker.value(&name.into(), None, root);
        while let Some(item) = walker.open.pop() {
            walker.path.truncate(item.depth);
            walker.path.push(item.part);
            if let Some((at, new)) = item.key {
                walker.write(at, &new);
            }
            walker.value(&item.name, item.before.as_deref(), item.start);
        }
        walker
    }

    /// Rewrites the value that begins here.
    fn value(&mut self, name: &Rc<str>, before: Option<&str>, start: usize) {
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

    fn object(&mut self, name: &Rc<str>, start: usize) {
        let starts = self.inside(start);
        let fields: Vec<_> = starts.chunks_exact(2).map(|field| (self.text(field[0]), field[0], field[1])).collect();
        let entry = ENTRIES.iter().find_map(|entry| fields.iter().find(|(key, ..)| key == entry));
        let entry = entry
            .filter(|(.., value)| self.is_text(*value))
            .map(|(.., value)| self.text(*value))
            .filter(|entry| entry.len() <= NAME)
            .map(Rc::from);
        let of_entry: Rc<str> = entry.unwrap_or_else(|| name.clone());
        // How often each new key was written, so that two keys do not become one.
        let mut written: HashMap<String, usize> = HashMap::new();
        let (first, depth) = (self.open.len(), self.path.len());
        for (part, key_at, start) in fields {
            let new = self.edited("", key_at).map(|new| {
                let count = written.entry(new.clone()).or_default();
                *count += 1;
                if *count > 1 { format!("{new} {count}") } else { new }
            });
            let is_value = part.eq_ignore_ascii_case("value") && !of_entry.is_empty();
            let name = if is_value { of_entry.clone() } else { Rc::from(if part.len() > NAME { "" } else { &part }) };
            let (part, key) = (new.clone().unwrap_or(part), new.map(|new| (key_at, new)));
            self.open.push(Item { start, part, depth, key, name, before: None });
        }
        self.open[first..].reverse();
    }

    fn list(&mut self, name: &Rc<str>, start: usize) {
        let items = self.inside(start);
        let is_headers = name.to_ascii_lowercase().ends_with("headers");
        let (first, depth) = (self.open.len(), self.path.len());
        for (at, item) in items.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| items[before]).filter(|_| self.is_text(*item));
            let before = before.filter(|before| self.is_text(*before)).map(|before| self.text(before));
            // `["--password", "…"]`, `["X-Api-Key", "…"]`, but not `["user", "password", "name"]`.
            let calls = |before: &String| {
                let is_pair = items.len() == 2
                    && (before.contains('-') || is_headers)
                    && !["required", "fields", "columns"].contains(&&**name)
                    && self.text(*item).contains(|c: char| c.is_ascii_digit());
                !before.contains([' ', '=']) && (before.starts_with('-') || is_pair)
            };
            let before = before.filter(calls).map(|before| before.trim_start_matches('-').to_owned());
            self.open.push(Item { start: *item, part: at.to_string(), depth, key: None, name: name.clone(), before });
        }
        self.open[first..].reverse();
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
                    at = self.end(at);
                }
            }
        }
    }

    fn is_text(&self, start: usize) -> bool {
        self.json[start..].starts_with('"')
    }

    fn text(&self, start: usize) -> String {
        serde_json::from_str(&self.json[start..self.end(start)]).unwrap_or_default()
    }

    fn end(&self, start: usize) -> usize {
        self.ends.get(&start).copied().unwrap_or_else(|| end(self.json, start))
    }

    /// The new content of a string or number. `edit` sees a text without escapes: `\n4111…` is a card after a line break.
    fn edited(&mut self, name: &str, start: usize) -> Option<String> {
        let value = &self.json[start..self.end(start)];
        let raw = value.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(value);
        if !raw.contains('\\') {
            return (self.edit)(name, raw);
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
        self.copied = self.end(start);
        if let Some(places) = &mut self.places {
            places.push(self.path.iter().flat_map(|part| ["/", part]).collect());
        }
    }
}

/// Where each object and list ends, by where it begins.
fn ends(json: &str) -> HashMap<usize, usize> {
    let (mut ends, mut open, mut at) = (HashMap::new(), Vec::new(), 0);
    while let Some(byte) = json.as_bytes().get(at) {
        let start = at;
        at = if *byte == b'"' { end(json, at) } else { at + 1 };
        match byte {
            b'{' | b'[' => open.push(start),
            b'}' | b']' => ends.extend(open.pop().map(|open| (open, at))),
            _ => {}
        }
    }
    ends
}

/// The end of the string, number or word that begins here.
fn end(json: &str, start: usize) -> usize {
    let (bytes, mut at) = (json.as_bytes(), start + 1);
    if bytes[start] != b'"' {
        return json[start..].find([',', ':', ']', '}', ' ', '\t', '\r', '\n']).map_or(json.len(), |end| start + end);
    }
    while bytes.get(at).is_some_and(|byte| *byte != b'"') {
        // A backslash escapes the next byte.
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at + 1
}

/// A string whose halves of characters outside of pairs, which JSON permits and a text cannot have, are replaced.
fn paired(raw: &str) -> Cow<'_, str> {
    static HALF: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\\ud[89ab]..\\ud[c-f]..|(\\ud[89a-f]..)|\\.").ok());
    let whole = |found: &Captures<'_>| found.get(1).map_or(found[0].to_owned(), |_| "\u{fffd}".to_owned());
    HALF.as_ref().map_or(Cow::Borrowed(raw), |half| half.replace_all(raw, whole))
}
