//! JSON with the place of every value. Comments, a comma too many and a byte-order mark are read and reported, since people
//! write them; a value twice under one key is reported too.

use std::ops::Range;

use serde_json::{Map, Value};

use super::defect::{Flaw, Flaws};

/// How deep a file may nest.
const DEPTH_LIMIT: usize = 100;

/// A value and the bytes it was read from.
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
    /// In the order of the text. Of two values under one key only the last is here.
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

    /// The entry under `key`, where this is an object that has one.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value without its places.
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

/// Reads the whole text. Flaws that cost nothing are pushed to `flaws`; one that costs the text is the error.
pub(crate) fn parse(text: &str, flaws: &mut Flaws) -> Result<Node, Flaw> {
    let mut reader = Reader { text, at: 0, flaws };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.blank()?;
    if reader.at == text.len() {
        let at = reader.at;
        return Err(Flaw::error(at..at, "the file has no rules in it: it is empty", "write `{\"hooks\": {…}}`"));
    }
    let node = reader.value(0)?;
    reader.blank()?;
    if reader.at < text.len() {
        let at = reader.at;
        return Err(Flaw::error(at..text.len().min(at + 1), "the file goes on after its end", "keep one object"));
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

    /// Skips blanks and comments.
    fn blank(&mut self) -> Result<(), Flaw> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(inner) = rest.strip_prefix("/*") {
                // `/*/` is not yet its end.
                inner.find("*/").map(|end| end + 4).ok_or_else(|| self.wrong("`*/` at the end of the comment"))?
            } else {
                return Ok(());
            };
            let (problem, help) = ("JSON has no comments; other programs refuse this file", "remove it");
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

    /// Null, a boolean or a number.
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
            return Err(Flaw::error(self.at..line, "this string has no end", "write `\"` at its end"));
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
                    let problem = format!("the key `{}` is there twice; only this one counts", entry.key);
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

    /// A comma, or nothing before the end.
    fn comma(&mut self, end: u8) -> Result<(), Flaw> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at..self.at + 1;
                self.at += 1;
                self.blank()?;
                if self.peek() == Some(end) {
                    let problem = "a comma before the end; other programs refuse this file";
                    self.flaws.push(Flaw::warning(comma, problem, "remove it"));
                }
                Ok(())
            }
            Some(found) if found == end => Ok(()),
            // What goes on behind a string is likely a part of it.
            Some(found) if !b"\"{[]}:".contains(&found) && self.text[..self.at].trim_end().ends_with('"') => {
                Err(self.wrong(&format!("`\\\"` for a quote within a string, or `,` or `{}`", char::from(end))))
            }
            _ => Err(self.wrong(&format!("`,` or `{}`", char::from(end)))),
        }
    }
}
