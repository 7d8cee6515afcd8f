//! The result of a tool, whose form belongs to its tool: hooks see its texts, and only texts are put back.

use serde_json::Value;

/// Keys whose texts say what a value is, not what it contains. They stay when the whole result is replaced.
const STRUCTURE: &str =
    "type kind mode status id filePath file_path path url uri mimeType mime_type media_type language role";

fn is_structure(key: &str) -> bool {
    STRUCTURE.split_whitespace().any(|name| name == key)
}

/// Keys under which tools put their main text, the most usual first.
const MAIN: &[&str] = &["stdout", "content", "text", "output", "llmContent", "result", "error", "message"];

/// The key whose text only says what a value is.
const LABEL: &str = "type";

/// The texts of a value, in order, those that are empty left out.
pub(crate) fn leaves(value: &Value) -> Vec<&str> {
    fn walk<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::String(text) if !text.is_empty() => into.push(text),
            Value::Array(list) => list.iter().for_each(|value| walk(value, into)),
            Value::Object(map) => {
                map.iter().filter(|(key, _)| *key != LABEL).for_each(|(_, value)| walk(value, into));
            }
            _ => {}
        }
    }
    let mut into = Vec::new();
    walk(value, &mut into);
    into
}

/// The value with its [`leaves`] replaced one by one.
pub(crate) fn put_back(value: &Value, texts: &mut dyn Iterator<Item = String>) -> Value {
    match value {
        Value::String(text) if !text.is_empty() => texts.next().unwrap_or_default().into(),
        Value::Array(list) => list.iter().map(|value| put_back(value, texts)).collect(),
        Value::Object(map) => {
            let put = |(key, value): (&String, &Value)| {
                (key.clone(), if key == LABEL { value.clone() } else { put_back(value, texts) })
            };
            Value::Object(map.iter().map(put).collect())
        }
        other => other.clone(),
    }
}

/// The value with `text` as its only text: in the place of the main one, the others are emptied.
pub(crate) fn replaced(value: &Value, text: &str) -> Value {
    let mut emptied = emptied(value);
    if let Some(main) = main_text(&mut emptied) {
        *main = text.into();
        return emptied;
    }
    text.into()
}

fn emptied(value: &Value) -> Value {
    match value {
        Value::String(_) => "".into(),
        Value::Array(list) => list.iter().map(emptied).collect(),
        Value::Object(map) => {
            let empty = |(key, value): (&String, &Value)| {
                let kept = is_structure(key);
                (key.clone(), if kept { value.clone() } else { emptied(value) })
            };
            Value::Object(map.iter().map(empty).collect())
        }
        other => other.clone(),
    }
}

fn main_text(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Array(list) => list.iter_mut().find_map(main_text),
        Value::Object(map) => {
            let key = MAIN.iter().find(|key| map.get(**key).is_some_and(has_text)).map(|key| (*key).to_owned());
            let key = key.or_else(|| {
                let of_text =
                    |(key, value): (&String, &Value)| (!is_structure(key) && has_text(value)).then(|| key.clone());
                map.iter().find_map(of_text)
            })?;
            main_text(map.get_mut(&key)?)
        }
        _ => None,
    }
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(list) => list.iter().any(has_text),
        Value::Object(map) => map.iter().any(|(key, value)| !is_structure(key) && has_text(value)),
        _ => false,
    }
}
