//! A tool that the table of a host does not know may be a shell or an editor of a newer release: its arguments tell.

use serde_json::{Map, Value, json};

use super::Part;
use crate::table::ARGUMENTS;

/// Names that the tables do not have.
const OTHERS: &[(&str, &[&str])] = &[
    ("command", &["commands", "commandLine", "script"]),
    ("file_path", &["file", "target_notebook"]),
    ("content", &["newStr", "new_text", "newCode", "code_edit"]),
];

/// What stands under any of the names of these arguments.
fn named<'a>(map: &'a Map<String, Value>, arguments: &[&str]) -> impl Iterator<Item = &'a Value> {
    let rows = ARGUMENTS.iter().chain(OTHERS).filter(|(canonical, _)| arguments.contains(canonical));
    let names = rows.flat_map(|(canonical, names)| std::iter::once(canonical).chain(*names));
    names.filter_map(|name| map.get(*name))
}

/// The call as one of `Bash`, `Write` and `Edit`, wherever its arguments look like it.
pub(super) fn like(input: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    walk(input, &mut parts);
    parts
}

fn walk(value: &Value, parts: &mut Vec<Part>) {
    match value {
        Value::Object(map) => {
            let lines = named(map, &["command"]).flat_map(lines);
            let args = map.get("args").map(lines_of_args).unwrap_or_default();
            parts.extend(lines.map(|line| Part::derived("Bash", json!({ "command": line + &args }))));
            let file = named(map, &["file_path"]).find_map(Value::as_str);
            let text = named(map, &["content", "new_string", "edits"]).next();
            if let (Some(file), Some(text)) = (file, text) {
                let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
                parts.push(Part::derived("Write", json!({ "file_path": file, "content": text })));
                let edit = json!({ "file_path": file, "old_string": "", "new_string": text });
                parts.push(Part::derived("Edit", edit));
            }
            map.values().for_each(|value| walk(value, parts));
        }
        Value::Array(list) => list.iter().for_each(|value| walk(value, parts)),
        _ => {}
    }
}

/// A line, or the words of one; each word may be a line too.
fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) => vec![line.clone()],
        Value::Array(list) => {
            let words: Vec<String> = list.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect();
            let whole = words.join(" ");
            words.into_iter().chain([whole]).collect()
        }
        _ => Vec::new(),
    }
}

fn lines_of_args(args: &Value) -> String {
    lines(args).pop().map(|args| format!(" {args}")).unwrap_or_default()
}

/// A call for each address in a text, with the other arguments of the call.
pub(super) fn addresses(text: &str, input: &Value) -> Vec<Part> {
    let is_end = |c: char| c.is_whitespace() || "\"'<>()[]{},;`".contains(c);
    let found = text.split(is_end).filter(|word| word.contains("://"));
    let of_address = |word: &str| {
        let mut input = input.clone();
        input["url"] = word.trim_end_matches(['.', '!', '?']).into();
        Part::derived("WebFetch", input)
    };
    found.map(of_address).collect()
}
