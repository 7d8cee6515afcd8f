//! The result of a tool, whose form belongs to its tool: hooks see its texts, long numbers and unusual keys, and only these are
//! put back.

use hook_sdk::data::{Block, TextBlock};
use serde_json::{Map, Value, json};

/// Keys whose texts say what a value is, not what it contains. Those that are labels stay when the whole result is replaced.
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
pub(crate) fn leaves(value: &Value) -> Vec<String> {
    blocks(value).iter().filter_map(|block| block.as_text().map(str::to_owned)).collect()
}

/// Numbers with fewer digits are nobody's.
const DIGITS: usize = 8;

/// The result of a host's tool as the blocks that hooks see. A text is a block with the key that it stands under in the field
/// `field`, unless that is a usual one. Long numbers, and keys that are no names, are blocks of types that nobody else has,
/// which are no text for the model.
pub(crate) fn blocks(value: &Value) -> Vec<Block> {
    fn walk(name: Option<&str>, value: &Value, into: &mut Vec<Block>) {
        match value {
            Value::String(text) if !text.is_empty() => into.push(text_block(name, text)),
            Value::Number(number) if is_long(number) => {
                into.push(Block::Other(json!({ "type": "host_number", "name": name, "value": value })));
            }
            Value::Array(list) => {
                for (at, value) in list.iter().enumerate() {
                    // `["--password", "…"]`, and `["X-Api-Key", "…"]` among headers, but not `["password", "name"]`
                    let text = value.as_str().unwrap_or_default();
                    let is_pair = list.len() == 2 && name.is_some_and(|name| name.to_lowercase().ends_with("headers"));
                    let before = at.checked_sub(1).and_then(|before| list[before].as_str());
                    let calls = |before: &&str| !text.is_empty() && (is_pair || before.starts_with('-'));
                    let flag = before.filter(calls).map(|flag| flag.trim_start_matches('-'));
                    walk(flag.filter(|flag| is_name(flag)).or(name), value, into);
                }
            }
            Value::Object(map) => {
                // `{"name": "DB_PASSWORD", "value": "…"}`, `{"password": {"value": "…"}}`
                let entry = ["name", "key", "header", "Name", "Key"].iter().find_map(|key| map.get(*key)?.as_str());
                let entry = entry.or(name);
                for (key, value) in map.iter().filter(|(key, _)| *key != LABEL) {
                    if !is_name(key) {
                        into.push(Block::Other(json!({ "type": "host_key", "value": key })));
                    }
                    walk(entry.filter(|_| key.eq_ignore_ascii_case("value")).or(Some(key)), value, into);
                }
            }
            _ => {}
        }
    }
    let mut into = Vec::new();
    walk(None, value, &mut into);
    into
}

fn text_block(name: Option<&str>, text: &str) -> Block {
    let mut block = TextBlock::default();
    text.clone_into(&mut block.text);
    if let Some(name) = name.filter(|name| !MAIN.contains(name) && !is_structure(name)) {
        block.extra = Map::from_iter([("field".to_owned(), name.into())]);
    }
    Block::Text(block)
}

fn is_long(number: &serde_json::Number) -> bool {
    number.to_string().bytes().filter(u8::is_ascii_digit).count() >= DIGITS
}

/// Whether it holds a picture or another file in a text, in which nothing else may stand.
fn is_binary(value: &Value) -> bool {
    const KINDS: &[&str] = &["image", "audio", "video", "document", "pdf", "base64"];
    let Value::Object(map) = value else { return false };
    let text = |keys: &[&str]| keys.iter().find_map(|key| map.get(*key)?.as_str());
    let is_file = text(&["mimeType", "mime_type", "media_type"]).is_some()
        || text(&["type"]).is_some_and(|kind| KINDS.contains(&kind) || kind.contains('/'));
    text(&["base64"]).is_some()
        || is_file && text(&["data", "blob", "image_data"]).is_some()
        || map.contains_key(LABEL) && map.values().any(is_binary)
}

/// What the model reads in place of a picture that a hook has changed: what the hook says, but no bytes.
fn prose(before: &Value, after: &Value) -> String {
    let before = leaves(before);
    let said = leaves(after).into_iter().filter(|text| text.contains(' ') && !before.contains(text));
    let said = said.collect::<Vec<_>>().join("\n");
    if said.is_empty() { "(a hook has changed this file, so it is left out)".to_owned() } else { said }
}

/// A text in the place of a picture or another file, as Claude Code's `Read` and servers of MCP give one.
fn as_text(binary: &Map<String, Value>, text: &str) -> Value {
    match binary.get("file") {
        Some(file) => json!({ "type": "text", "file": {
            "filePath": file["filePath"].as_str().unwrap_or_default(), "content": text,
            "numLines": 1, "startLine": 1, "totalLines": 1,
        } }),
        None => json!({ "type": "text", "text": text }),
    }
}

fn is_name(key: &str) -> bool {
    key.len() <= 24 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

fn next(blocks: &mut dyn Iterator<Item = &Block>) -> Value {
    match blocks.next() {
        Some(Block::Other(other)) => other["value"].clone(),
        other => other.and_then(Block::as_text).unwrap_or_default().into(),
    }
}

/// The value with its [`blocks`] replaced one by one.
pub(crate) fn put_back(value: &Value, blocks: &mut dyn Iterator<Item = &Block>) -> Value {
    match value {
        Value::String(text) if !text.is_empty() => next(blocks),
        Value::Number(number) if is_long(number) => next(blocks),
        Value::Array(list) => list.iter().map(|value| put_back(value, blocks)).collect(),
        Value::Object(map) => {
            let mut put = Map::new();
            for (key, value) in map {
                if key == LABEL {
                    put.insert(key.clone(), value.clone());
                    continue;
                }
                let new = if is_name(key) { None } else { next(blocks).as_str().map(str::to_owned) };
                let mut key = new.unwrap_or_else(|| key.clone());
                // Two keys that a mask makes one stay two.
                if put.contains_key(&key) {
                    key = format!("{key} {}", put.len() + 1);
                }
                put.insert(key, put_back(value, blocks));
            }
            let mut put = Value::Object(put);
            if put != *value && is_binary(value) {
                return as_text(map, &prose(value, &put));
            }
            if put != *value && map.get("isImage") == Some(&Value::Bool(true)) {
                (put["stdout"], put["isImage"]) = (prose(value, &put).into(), false.into());
            }
            put
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
        Value::Array(list) => {
            let texts: Vec<&Value> = list.iter().filter(|value| !is_binary(value)).collect();
            // Of pictures alone, the first becomes a text.
            let kept = if texts.is_empty() { list.iter().take(1).collect() } else { texts };
            kept.into_iter().map(emptied).collect()
        }
        Value::Number(number) if is_long(number) => 0.into(),
        Value::Object(map) if is_binary(value) => as_text(map, ""),
        Value::Object(map) => {
            let empty = |(key, value): (&String, &Value)| {
                let kept = is_structure(key) && value.as_str().is_some_and(is_label);
                let value = match value {
                    Value::Bool(_) if key == "isImage" => false.into(),
                    value if kept => value.clone(),
                    value => emptied(value),
                };
                (key.clone(), value)
            };
            Value::Object(map.iter().filter(|(key, _)| is_name(key)).map(empty).collect())
        }
        other => other.clone(),
    }
}

/// Whether a text can only say what a value is, or where: a word, a path, an address without parameters.
fn is_label(text: &str) -> bool {
    text.len() <= 256 && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '@' | '='))
}

/// The text that stands for the whole: that of the most usual key, or else the first one.
fn main_text(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Array(list) => list.iter_mut().find_map(main_text),
        Value::Object(map) => {
            let mut parts: Vec<_> = map.iter_mut().filter(|(key, _)| !is_structure(key)).collect();
            parts.sort_by_key(|(key, _)| MAIN.iter().position(|main| main == key).unwrap_or(MAIN.len()));
            parts.into_iter().find_map(|(_, value)| main_text(value))
        }
        _ => None,
    }
}
