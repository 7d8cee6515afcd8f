//! Rewrites the strings, keys and numbers of a JSON text. Its layout stays as it was written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns a text without what it must not contain; `None` if it contains nothing of it. The first text is the key of
/// the field that holds the second, or empty.
pub(crate) type Edit<'a> = &'a mut dyn FnMut(&str, &str) -> Option<String>;

/// Rewrites a text that stands under this key: JSON one string, key and number at a time, so that it stays JSON, and any
/// other text as a whole.
pub(crate) fn rewrite(name: &str, text: &str, edit: Edit<'_>) -> Option<String> {
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if !is_json {
        return edit(name, text);
    }
    let walker = Walker::walked(name, text, edit);
    if walker.changes.is_empty() {
        return None;
    }
    let (mut written, mut copied) = (String::with_capacity(text.len()), 0);
    for (at, new) in &walker.changes {
        let place = &walker.tokens[*at].place;
        written.push_str(&text[copied..place.start]);
        written.push_str(&Value::from(&**new).to_string());
        copied = place.end;
    }
    Some(written + &text[copied..])
}

/// The pointers to what `edit` would rewrite. A key that it would rewrite is in them as it would be then.
pub(crate) fn places(value: &Value, edit: Edit<'_>) -> Vec<String> {
    let json = value.to_string();
    let walker = Walker::walked("", &json, edit);
    walker.changes.iter().map(|(at, _)| walker.pointer(*at)).collect()
}

/// A longer key says nothing about its value, and would be read with each value in it.
const NAME: usize = 256;

/// Keys under which an entry of a list has its name: `{"name": "DB_PASSWORD", "value": "…"}`.
const ENTRIES: &[&str] = &["name", "key", "header", "Name", "Key"];

/// A value or key. They are in the order of the text: a container, and then what is in it.
#[derive(Default)]
struct Token {
    place: Range<usize>,
    /// The token after it and all that is in it.
    next: usize,
    /// The object or list around it, and the key or index in it.
    parent: usize,
    part: String,
    is_key: bool,
    name: Rc<str>,
    /// What the item before it in a list may call it.
    before: Option<Rc<str>>,
}

struct Walker<'a> {
    json: &'a str,
    tokens: Vec<Token>,
    /// The tokens that become another text.
    changes: Vec<(usize, String)>,
}

impl<'a> Walker<'a> {
    fn walked(name: &str, json: &'a str, edit: Edit<'_>) -> Self {
        let mut walker = Self { json, tokens: tokens(json), changes: Vec::new() };
        walker.tokens[0].name = name.into();
        // How often each new key is in an object, so that two keys do not become one.
        let mut keys: HashMap<(usize, String), usize> = HashMap::new();
        // Not by recursion: values can be within each other deeper than the stack is.
        for at in 0..walker.tokens.len() {
            match walker.raw(at).as_bytes()[0] {
                b'{' => walker.name_fields(at),
                b'[' => walker.name_items(at),
                b'"' | b'-' | b'0'..=b'9' => {
                    let Token { name, before, parent, is_key, .. } = &walker.tokens[at];
                    let (parent, is_key) = (*parent, *is_key);
                    let new = walker.edited(name, at, edit);
                    let new = new.or_else(|| walker.edited(before.as_ref()?, at, edit));
                    let Some(mut new) = new else { continue };
                    if is_key {
                        let count = keys.entry((parent, new.clone())).or_default();
                        *count += 1;
                        new = if *count > 1 { format!("{new} {count}") } else { new };
                        walker.tokens[at + 1].part.clone_from(&new);
                    }
                    walker.changes.push((at, new));
                }
                _ => {}
            }
        }
        walker
    }

    fn name_fields(&mut self, object: usize) {
        let children = self.children(object);
        let fields: Vec<_> =
            children.chunks_exact(2).map(|field| (self.text(field[0]).unwrap_or_default(), field[1])).collect();
        let entry = ENTRIES.iter().find_map(|entry| fields.iter().find(|(key, _)| key == entry));
        let of_entry = entry.and_then(|(_, value)| self.text(*value)).filter(|entry| entry.len() <= NAME);
        let of_entry = of_entry.map_or_else(|| self.tokens[object].name.clone(), Rc::from);
        for (key, value) in fields {
            let is_value = key.eq_ignore_ascii_case("value") && !of_entry.is_empty();
            let name = if key.len() > NAME { "" } else { &key };
            self.tokens[value].name = if is_value { of_entry.clone() } else { name.into() };
            self.tokens[value].part = key;
            // A key has nothing in it, so that its value follows.
            self.tokens[value - 1].is_key = true;
        }
    }

    fn name_items(&mut self, list: usize) {
        let (items, name) = (self.children(list), self.tokens[list].name.clone());
        let is_headers = name.to_ascii_lowercase().ends_with("headers");
        let mut before = None;
        for (index, item) in items.iter().enumerate() {
            let text = self.text(*item);
            // `["--password", "…"]`, `["X-Api-Key", "…"]`, but not `["user", "password", "name"]`.
            let calls = |(before, text): &(String, &String)| {
                let is_pair = items.len() == 2
                    && (before.contains('-') || is_headers)
                    && !["required", "fields", "columns"].contains(&&*name)
                    && text.contains(|c: char| c.is_ascii_digit());
                !before.contains([' ', '=']) && (before.starts_with('-') || is_pair)
            };
            let called = before.zip(text.as_ref()).filter(calls).map(|(before, _)| before);
            self.tokens[*item].before = called.map(|before: String| before.trim_start_matches('-').into());
            self.tokens[*item].name = name.clone();
            self.tokens[*item].part = index.to_string();
            before = text;
        }
    }

    /// The keys and values of an object, or the items of a list.
    fn children(&self, container: usize) -> Vec<usize> {
        let next = |child: usize| Some(child).filter(|child| *child < self.tokens[container].next);
        std::iter::successors(next(container + 1), |child| next(self.tokens[*child].next)).collect()
    }

    fn raw(&self, at: usize) -> &'a str {
        &self.json[self.tokens[at].place.clone()]
    }

    /// The value, if it is a text.
    fn text(&self, at: usize) -> Option<String> {
        serde_json::from_str(self.raw(at)).ok()
    }

    /// The new content of a string or number. `edit` sees a text without escapes: `\n4111…` is a card after a line break.
    fn edited(&self, name: &str, at: usize, edit: Edit<'_>) -> Option<String> {
        let value = self.raw(at);
        let raw = value.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(value);
        if !raw.contains('\\') {
            return edit(name, raw);
        }
        let text = serde_json::from_str(value).or_else(|_| serde_json::from_str(&format!("\"{}\"", paired(raw))));
        let text: String = text.ok()?;
        // A string may contain JSON itself, such as the arguments that a tool repeats.
        rewrite(name, &text, edit)
    }

    /// The pointer to a value, or to that of a key.
    fn pointer(&self, at: usize) -> String {
        let value = at + usize::from(self.tokens[at].is_key);
        let around = std::iter::successors(Some(value), |at| Some(self.tokens[*at].parent)).take_while(|at| *at > 0);
        let parts: Vec<&str> = around.map(|at| &*self.tokens[at].part).collect();
        parts.iter().rev().flat_map(|part| ["/", part]).collect()
    }
}

/// The values and keys of a text that is JSON.
fn tokens(json: &str) -> Vec<Token> {
    static TOKEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?s)"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s"\[\]{},:]+"#).ok());
    let (mut tokens, mut open) = (Vec::<Token>::new(), Vec::<usize>::new());
    for found in TOKEN.iter().flat_map(|token| token.find_iter(json)) {
        let (at, parent) = (tokens.len(), open.last().copied().unwrap_or_default());
        match found.as_str() {
            "}" | "]" => {
                open.pop();
                tokens[parent].next = at;
                tokens[parent].place.end = found.end();
                continue;
            }
            "{" | "[" => open.push(at),
            _ => {}
        }
        tokens.push(Token { place: found.range(), next: at + 1, parent, ..Token::default() });
    }
    tokens
}

/// A string whose halves of characters outside of pairs, which JSON permits and a text cannot have, are replaced.
fn paired(raw: &str) -> Cow<'_, str> {
    static HALF: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\\ud[89ab]..\\ud[c-f]..|(\\ud[89a-f]..)|\\.").ok());
    let whole = |found: &Captures<'_>| found.get(1).map_or(found[0].to_owned(), |_| "\u{fffd}".to_owned());
    HALF.as_ref().map_or(Cow::Borrowed(raw), |half| half.replace_all(raw, whole))
}
