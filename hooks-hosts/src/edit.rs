//! Edits of JSON files that belong to other people: only what is added or removed changes, comments and layout stay.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: NodeKind,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    /// From the key to the end of the value.
    pub(crate) span: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            NodeKind::Object(members) => members.iter().find(|member| member.key == key).map(|member| &member.value),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list, or the values of an object.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Node> {
        let (members, list) = match &self.kind {
            NodeKind::Object(members) => (&members[..], &[][..]),
            NodeKind::Array(list) => (&[][..], &list[..]),
            _ => (&[][..], &[][..]),
        };
        members.iter().map(|member| &member.value).chain(list)
    }

    /// The value, as the text says it.
    pub(crate) fn value(&self, text: &str) -> Value {
        match &self.kind {
            NodeKind::Object(members) => {
                members.iter().map(|member| (member.key.clone(), member.value.value(text))).collect()
            }
            NodeKind::Array(list) => list.iter().map(|node| node.value(text)).collect(),
            NodeKind::Text(said) => said.as_str().into(),
            NodeKind::Other => serde_json::from_str(&text[self.span.clone()]).unwrap_or_default(),
        }
    }

    /// The places of the parts of a list or an object, with their keys.
    fn spans(&self) -> Vec<Range<usize>> {
        match &self.kind {
            NodeKind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            NodeKind::Array(list) => list.iter().map(|node| node.span.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Parses JSON with comments and trailing commas.
pub(crate) fn parse(text: &str) -> Result<Node, String> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 }, depth: 0 };
    let parsed = reader.blank().and_then(|()| reader.value()).and_then(|node| {
        reader.blank()?;
        if reader.at < text.len() { Err("something stands after the end".to_owned()) } else { Ok(node) }
    });
    parsed.map_err(|problem| {
        let before = &text[..reader.at.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}: {problem}")
    })
}

/// The members of an object. Of two with one key, the host may read the other one.
fn distinct(members: Vec<Member>) -> Result<Vec<Member>, String> {
    let mut seen = HashSet::new();
    match members.iter().find(|member| !seen.insert(&member.key)) {
        Some(member) => Err(format!("the key `{}` stands there twice", member.key)),
        None => Ok(members),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            let skipped = rest.len() - rest.trim_start().len();
            let rest = &rest[skipped..];
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").ok_or("a comment does not end")? + 2
            } else {
                0
            };
            self.at += skipped + comment;
            if comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Node, String> {
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('{') => NodeKind::Object(distinct(self.list('}', |reader| {
                let start = reader.at;
                let key = reader.string()?;
                reader.blank()?;
                if !reader.rest().starts_with(':') {
                    return Err("a `:` is missing".to_owned());
                }
                reader.at += 1;
                reader.blank()?;
                let value = reader.value()?;
                Ok(Member { key, span: start..reader.at, value })
            })?)?),
            Some('[') => NodeKind::Array(self.list(']', Self::value)?),
            Some('"') => NodeKind::Text(self.string()?),
            _ => {
                let rest = self.rest();
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
                serde_json::from_str::<Value>(&rest[..end]).map_err(|_| "a value is missing".to_owned())?;
                self.at += end;
                NodeKind::Other
            }
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn list<T>(&mut self, close: char, part: fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("it is nested too deeply".to_owned());
        }
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            self.blank()?;
            if self.rest().starts_with(close) {
                self.at += 1;
                self.depth -= 1;
                return Ok(parts);
            }
            parts.push(part(self)?);
            self.blank()?;
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().starts_with(close) {
                return Err(format!("a `,` or a `{close}` is missing"));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find_map(|(at, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends.then_some(at + 1)
        });
        let text = self.rest().starts_with('"').then_some(()).and(end).map(|end| &self.text[self.at..self.at + end]);
        let text = text.ok_or("a text is missing, or it does not end")?;
        let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        self.at += text.len();
        Ok(value)
    }
}

/// The text with `value` as the last element of the list at `path`. What is missing of the path is added.
pub(crate) fn append(text: &str, path: &[&str], value: &str) -> Result<String, String> {
    let root = parse(text)?;
    let mut node = &root;
    for (depth, key) in path.iter().enumerate() {
        match node.get(key) {
            Some(next) => node = next,
            None if matches!(node.kind, NodeKind::Object(_)) => {
                let member = nested(&path[depth..], value, &indent(text, node.span.start), unit(text), newline(text));
                return Ok(inserted(text, node, &member));
            }
            None => return Err(format!("`{}` is not an object", path[..depth].join("."))),
        }
    }
    match node.kind {
        NodeKind::Array(_) => Ok(inserted(text, node, value)),
        _ => Err(format!("`{}` is not a list", path.join("."))),
    }
}

/// The member that holds the list at the end of `path`. What is inside its brackets has lines of its own, by which [`remove`]
/// knows that nobody else has made it: [`inserted`] puts nothing after the bracket of others but what is added.
fn nested(path: &[&str], value: &str, outer: &str, unit: &str, newline: &str) -> String {
    let Some((key, rest)) = path.split_first() else { return value.to_owned() };
    let key = Value::from(*key);
    let (inner, deeper) = (format!("{outer}{unit}"), format!("{outer}{unit}{unit}"));
    let (open, close) = if rest.is_empty() { ('[', ']') } else { ('{', '}') };
    let value = nested(rest, value, &inner, unit, newline);
    format!("{key}: {open}{newline}{deeper}{value}{newline}{inner}{close}")
}

fn inserted(text: &str, node: &Node, value: &str) -> String {
    match node.spans().last() {
        Some(last) => {
            let indent = indent(text, last.start);
            let on_one_line = !text[node.span.clone()].contains('\n');
            let between = if on_one_line { " ".to_owned() } else { format!("{}{indent}", newline(text)) };
            format!("{},{between}{value}{}", &text[..last.end], &text[last.end..])
        }
        None => {
            let at = node.span.start + 1;
            format!("{}{value}{}", &text[..at], &text[at..])
        }
    }
}

/// The text without the part at `path`, and without the lists and objects around it that were only made for it.
pub(crate) fn remove(text: &str, path: &[usize]) -> Result<String, String> {
    let root = parse(text)?;
    let (Some((at, above)), mut node) = (path.split_last(), &root) else { return Ok(text.to_owned()) };
    for index in above {
        node = node.parts().nth(*index).ok_or("there is no such part")?;
    }
    let parts = node.spans();
    let part = parts.get(*at).ok_or("there is no such part")?;
    let inside = node.span.start + 1..node.span.end - 1;
    let has_line = |blank: &str| blank.trim().is_empty() && blank.contains('\n');
    let is_ours = has_line(&text[inside.start..parts[0].start]) && has_line(&text[part.end..inside.end]);
    if parts.len() == 1 && is_ours && !above.is_empty() {
        return remove(text, above);
    }
    let range = match (at.checked_sub(1).and_then(|before| parts.get(before)), parts.get(at + 1)) {
        (Some(before), _) => before.end..part.end,
        (None, Some(next)) => part.start..next.start,
        (None, None) if is_ours => inside,
        (None, None) => {
            let comma = text[part.end..].trim_start().starts_with(',');
            let end = if comma { part.end + text[part.end..].find(',').unwrap_or_default() + 1 } else { part.end };
            part.start..end
        }
    };
    Ok(format!("{}{}", &text[..range.start], &text[range.end..]))
}

fn indent(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[line..at].chars().take_while(|c| *c == ' ' || *c == '\t').collect()
}

fn unit(text: &str) -> &str {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
