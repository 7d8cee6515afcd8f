//! Edits of JSON files that belong to other people: only what is added or removed changes, comments and layout stay.

use std::ops::Range;

use serde_json::Value;

use crate::json;

/// Parses JSON with comments and trailing commas.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    json::strict(&plain(text)).map_err(|error| {
        let problem = error.to_string();
        let problem = problem.rsplit_once(" at line").map_or(&*problem, |(problem, _)| problem);
        format!("line {}, column {}: {problem}", error.line(), error.column())
    })
}

/// The text with blanks in place of comments, of commas at an end and of a byte order mark, so that every part keeps its place.
fn plain(text: &str) -> String {
    let (mut plain, mut rest) = (text.replacen('\u{feff}', "   ", usize::from(text.starts_with('\u{feff}'))), text);
    let (mut last, mut comma) = ("", None);
    while !rest.is_empty() {
        let (at, (token, after)) = (text.len() - rest.len(), rest.split_at(token(rest)));
        rest = after;
        if token.len() > 1 && token.starts_with('/') {
            let blank: String = token.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
            plain.replace_range(at..at + token.len(), &blank);
        } else if !token.trim().is_empty() {
            match (token, comma.take()) {
                // One without a value before it is an error.
                (",", _) if !["", "[", "{", ","].contains(&last) => comma = Some(at),
                ("]" | "}", Some(comma)) => plain.replace_range(comma..=comma, " "),
                _ => {}
            }
            last = token;
        }
    }
    plain
}

/// The length of the text, the comment or the character at the beginning.
fn token(rest: &str) -> usize {
    let mut escaped = false;
    let ends_text = |c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    match rest.as_bytes() {
        [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
        // One that does not end is an error.
        [b'/', b'*', ..] => rest[2..].find("*/").map_or(1, |end| end + 4),
        [b'"', ..] => rest[1..].find(ends_text).map_or(rest.len(), |end| end + 2),
        _ => rest.chars().next().map_or(0, char::len_utf8),
    }
}

/// A part of a list or an object in a plain text.
struct Member {
    /// Its number in the list, or its key.
    name: String,
    /// From the key to the end of the value.
    span: Range<usize>,
    value: Range<usize>,
}

/// The parts of the list or the object that stands there.
fn parts(plain: &str, whole: &Range<usize>) -> Vec<Member> {
    let (mut parts, mut depth, mut begin, mut at) = (Vec::new(), 0, whole.start + 1, whole.start);
    while at < whole.end {
        let token = &plain[at..][..token(&plain[at..])];
        depth += match token {
            "{" | "[" => 1,
            "}" | "]" => -1,
            _ => 0,
        };
        if depth == 0 || depth == 1 && token == "," {
            let span = trimmed(plain, begin..at);
            parts.extend((!span.is_empty()).then(|| part(plain, span, parts.len())));
            begin = at + 1;
        }
        at += token.len();
    }
    parts
}

fn part(plain: &str, span: Range<usize>, number: usize) -> Member {
    let (key, rest) = plain[span.clone()].split_at(token(&plain[span.clone()]));
    match rest.trim_start().strip_prefix(':') {
        Some(value) => Member {
            name: serde_json::from_str(key).unwrap_or_default(),
            value: trimmed(plain, span.end - value.len()..span.end),
            span,
        },
        None => Member { name: number.to_string(), value: span.clone(), span },
    }
}

fn trimmed(plain: &str, span: Range<usize>) -> Range<usize> {
    let text = &plain[span.clone()];
    let start = span.end - text.trim_start().len();
    start..start + text.trim().len()
}

/// The text with `value` as the last element of the list at `path`. What is missing of the path is added.
pub(crate) fn append(text: &str, path: &[&str], value: &str) -> Result<String, String> {
    parse(text)?;
    let plain = plain(text);
    let mut node = trimmed(&plain, 0..plain.len());
    for (depth, key) in path.iter().enumerate() {
        if !plain[node.clone()].starts_with('{') {
            return Err(format!("`{}` is not an object", path[..depth].join(".")));
        }
        let parts = parts(&plain, &node);
        let Some(next) = parts.iter().find(|part| part.name == *key) else {
            let member = nested(&path[depth..], value, &indent(text, node.start), unit(text), newline(text));
            return Ok(inserted(text, &node, &parts, &member));
        };
        node = next.value.clone();
    }
    if !plain[node.clone()].starts_with('[') {
        return Err(format!("`{}` is not a list", path.join(".")));
    }
    Ok(inserted(text, &node, &parts(&plain, &node), value))
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

fn inserted(text: &str, node: &Range<usize>, parts: &[Member], value: &str) -> String {
    let (at, before) = match parts.last() {
        Some(Member { span: last, .. }) if text[node.clone()].contains('\n') => {
            (last.end, format!(",{}{}", newline(text), indent(text, last.start)))
        }
        Some(Member { span: last, .. }) => (last.end, ", ".to_owned()),
        None => (node.start + 1, String::new()),
    };
    format!("{}{before}{value}{}", &text[..at], &text[at..])
}

/// The text without the part at `path`, and without the lists and objects around it that were only made for it.
pub(crate) fn remove(text: &str, path: &[String]) -> Result<String, String> {
    let plain = plain(text);
    let mut node = trimmed(&plain, 0..plain.len());
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    for name in above {
        let next = parts(&plain, &node).into_iter().find(|part| part.name == *name);
        node = next.ok_or("there is no such part")?.value;
    }
    let parts = parts(&plain, &node);
    let at = parts.iter().position(|part| part.name == *name).ok_or("there is no such part")?;
    let part = &parts[at].span;
    let inside = node.start + 1..node.end - 1;
    let has_line = |blank: &str| blank.trim().is_empty() && blank.contains('\n');
    let is_ours = has_line(&text[inside.start..parts[0].span.start]) && has_line(&text[part.end..inside.end]);
    if parts.len() == 1 && is_ours && !above.is_empty() {
        return remove(text, above);
    }
    let range = match (at.checked_sub(1).map(|before| &parts[before].span), parts.get(at + 1)) {
        (Some(before), _) => before.end..part.end,
        (None, Some(next)) => part.start..next.span.start,
        (None, None) if is_ours => inside,
        (None, None) => {
            let comma = text[part.end..].trim_start().strip_prefix(',');
            part.start..comma.map_or(part.end, |rest| text.len() - rest.len())
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
