//! A JSON parser that records the position of every value. It accepts comments, trailing commas and a byte-order mark,
//! because people write them, and reports them. It also reports duplicate keys.

use std::ops::Range;

use serde_json::{Map, Value};

use super::defect::{Flaw, Flaws};

/// The maximum nesting depth.
const DEPTH_LIMIT: usize = 100;

/// A value and its span in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) json: Json,
}

#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// Null, a boolean, a number or a string.
    Plain(Value),
    Array(Vec<Node>),
    /// The entries in the order of the text. Of duplicate keys, only the last is kept.
    Object(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: Node,
}

impl Node {
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.json {
            Json::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The entry with this key, if this is an object that has one.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value without positions.
    pub(crate) fn value(&self) -> Value {
        match &self.json {
            Json::Plain(value) => value.clone(),
            Json::Array(nodes) => Value::Array(nodes.iter().map(Self::value).collect()),
            Json::Object(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.clone(), e.node.value())).collect::<Map<_, _>>())
            }
        }
    }
}

/// Parses the whole text. Warnings are added to `flaws`. The error is the syntax error that ended parsing.
pub(crate) fn parse(text: &str, flaws: &mut Flaws) -> Result<Node, Flaw> {
    let mut reader = Reader { text, at: 0, flaws };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.blank()?;
    if reader.at == text.len() {
        let at = reader.at;
        return Err(Flaw::error(at..at, "the file is empty, so it has no rules", "write `{\"hooks\": {…}}`"));
    }
    let node = reader.value(0)?;
    reader.blank()?;
    if reader.at < text.len() {
        let at = reader.at;
        return Err(Flaw::error(
            at..text.len().min(at + 1),
            "there is text after the end of the object",
            "keep one object",
        ));
    }
    Ok(node)
}

struct Reader<'a, 'f> {
    text: &'a str,
    at: usize,
    flaws: &'f mut Flaws,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, wanted: &str) -> Flaw {
        let found = self.text[self.at..].chars().next();
        let end = self.at + found.map_or(0, char::len_utf8);
        let found = found.map_or_else(|| "the end of the file".to_owned(), |c| format!("`{}`", c.escape_debug()));
        Flaw::error(self.at..end, format!("this is not JSON: found {found}"), format!("write {wanted}"))
    }

    /// Skips whitespace and comments.
    fn blank(&mut self) -> Result<(), Flaw> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(inner) = rest.strip_prefix("/*") {
                // `/*/` does not end the comment.
                inner.find("*/").map(|end| end + 4).ok_or_else(|| self.wrong("`*/` at the end of the comment"))?
            } else {
                return Ok(());
            };
            let (problem, help) = ("JSON has no comments; other programs reject this file", "remove it");
            self.flaws.push(Flaw::warning(self.at..self.at + length, problem, help));
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Flaw> {
        self.blank()?;
        if depth > DEPTH_LIMIT {
            let problem = format!("this is nested more than {DEPTH_LIMIT} deep");
            return Err(Flaw::error(self.at..self.at + 1, problem, "a rule needs six levels"));
        }
        let start = self.at;
        let json = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Json::Plain(Value::String(self.string()?)),
            _ => self.word()?,
        };
        Ok(Node { span: start..self.at, json })
    }

    /// Parses null, a boolean or a number.
    fn word(&mut self) -> Result<Json, Flaw> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "+-._".contains(c))).unwrap_or(rest.len());
        let value = serde_json::from_str(&rest[..end]).map_err(|_| match rest.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => {
                let problem = "this number is not JSON, or too large to be read";
                Flaw::error(self.at..self.at + end, problem, "write digits as in `30` or `1.5`")
            }
            _ => self.wrong("a value"),
        })?;
        self.at += end;
        Ok(Json::Plain(value))
    }

    fn string(&mut self) -> Result<String, Flaw> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let Some(raw) = rest.get(..=end) else {
            let line = self.at + rest.find('\n').unwrap_or(rest.len());
            return Err(Flaw::error(self.at..line, "this string is not terminated", "write `\"` at its end"));
        };
        let text = serde_json::from_str(raw).map_err(|_| {
            let line = self.at + raw.find('\n').unwrap_or(raw.len());
            let help = "write `\\\\` for a backslash and `\\n` for a line break";
            Flaw::error(self.at..line, "this string is not JSON", help)
        })?;
        self.at += raw.len();
        Ok(text)
    }

    fn array(&mut self, depth: usize) -> Result<Json, Flaw> {
        let mut nodes = Vec::new();
        self.at += 1;
        while !self.closes(b']')? {
            nodes.push(self.value(depth + 1)?);
            self.comma(b']')?;
        }
        Ok(Json::Array(nodes))
    }

    fn object(&mut self, depth: usize) -> Result<Json, Flaw> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places = std::collections::HashMap::new();
        self.at += 1;
        while !self.closes(b'}')? {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = start..self.at;
            self.blank()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("`:` after the key"));
            }
            self.at += 1;
            let node = self.value(depth + 1)?;
            let entry = Entry { key, key_span, node };
            match places.get(&entry.key) {
                None => {
                    places.insert(entry.key.clone(), entries.len());
                    entries.push(entry);
                }
                Some(&place) => {
                    let problem = format!("the key `{}` appears twice; only this one counts", entry.key);
                    let are_lists = |json: &Json| matches!(json, Json::Array(_) | Json::Object(_));
                    let help = if are_lists(&entries[place].node.json) && are_lists(&entry.node.json) {
                        "put both lists under one key"
                    } else {
                        "keep one"
                    };
                    self.flaws.push(Flaw::warning(entry.key_span.clone(), problem, help));
                    entries[place] = entry;
                }
            }
            self.comma(b'}')?;
        }
        Ok(Json::Object(entries))
    }

    /// Whether the list or object ends here.
    fn closes(&mut self, end: u8) -> Result<bool, Flaw> {
        self.blank()?;
        let closes = self.peek() == Some(end);
        self.at += usize::from(closes);
        Ok(closes)
    }

    /// Skips a comma, which may be missing before the end.
    fn comma(&mut self, end: u8) -> Result<(), Flaw> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at..self.at + 1;
                self.at += 1;
                self.blank()?;
                if self.peek() == Some(end) {
                    let problem = "a trailing comma; other programs reject this file";
                    self.flaws.push(Flaw::warning(comma, problem, "remove it"));
                }
                Ok(())
            }
            Some(found) if found == end => Ok(()),
            // Text after a string probably belongs to it.
            Some(found) if !b"\"{[]}:".contains(&found) && self.text[..self.at].trim_end().ends_with('"') => {
                Err(self.wrong(&format!("`\\\"` for a quote within a string, or `,` or `{}`", char::from(end))))
            }
            _ => Err(self.wrong(&format!("`,` or `{}`", char::from(end)))),
        }
    }
}
