//! JSON Schemas of both dialects, generated from the tables that the parser uses.

use serde_json::{Map, Value, json};

use crate::dialect::Dialect;
use crate::event::Event;
use crate::formats;

/// Returns a JSON Schema (draft 2020-12) for the files of a dialect, for use in editors.
///
/// It describes correct files and is stricter than the parser, which accepts files with unknown keys or comments.
///
/// ```
/// use hooks_rules::{Dialect, schema};
///
/// let schema = schema(Dialect::Claude);
/// let events = &schema["properties"]["hooks"]["properties"];
/// assert_eq!(events["PreToolUse"]["items"]["$ref"], "#/$defs/group_PreToolUse");
/// ```
pub fn schema(dialect: Dialect) -> Value {
    let mut events = Map::new();
    let mut definitions = Map::new();
    for event in Event::all().filter(|event| dialect.knows(*event)) {
        let item = entry(dialect, event, &mut definitions);
        let mut described = json!({ "type": "array", "items": item });
        if formats::of(dialect).takes_one() {
            described = json!({ "oneOf": [described, item] });
        }
        described["description"] = match event.spec().kind {
            Some(kind) => format!("Carried by the kind `{kind}`.").into(),
            None => "Known, but not fired here.".into(),
        };
        events.insert(event.as_str().to_owned(), described);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Rules in the form `{dialect}`"),
        "type": "object",
        "required": ["hooks"],
        "properties": {
            "$schema": { "type": "string" },
            "description": { "type": "string" },
            "allowManagedHooksOnly": { "type": "boolean", "description": "In managed settings: only their rules run." },
            "allowedHttpHookUrls": { "type": "array", "items": { "type": "string" }, "description": "Where requests may go; `*` stands for anything." },
            "httpHookAllowedEnvVars": { "type": "array", "items": { "type": "string" }, "description": "The variables in headers of requests." },
            "disableAllHooks": { "type": "boolean", "description": "Switches every rule off." },
            "hooks": { "type": "object", "properties": events, "additionalProperties": false },
        },
        "$defs": definitions,
    })
}

/// The schema of an event's value.
fn entry(dialect: Dialect, event: Event, definitions: &mut Map<String, Value>) -> Value {
    let name = format!("handler_{event}");
    let handlers: Vec<Value> =
        dialect.types(event).iter().chain(&["hook"]).map(|kind| handler(dialect, event, kind)).collect();
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    definitions.insert(name.clone(), json!({ "oneOf": handlers }));
    let handler = reference(&name);
    let entry = formats::of(dialect).schema(event, &handler);
    if entry == handler {
        return handler;
    }
    let group = format!("group_{event}");
    definitions.insert(group.clone(), entry);
    reference(&group)
}

/// The schema of a handler of one type at one event.
fn handler(dialect: Dialect, event: Event, kind: &str) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    let flag = || json!({ "type": "boolean", "default": false });
    let own: Value = match kind {
        "command" => json!({
            "command": text(),
            "args": { "type": "array", "items": { "type": "string" } },
            "shell": { "enum": ["bash", "powershell"] },
            "async": flag(),
            "onFailure": { "enum": ["continue", "block"], "default": "continue" },
        }),
        "http" => json!({
            "url": text(),
            "headers": { "type": "object", "additionalProperties": { "type": "string" } },
            "allowedEnvVars": { "type": "array", "items": { "type": "string" } },
            "onFailure": { "enum": ["continue", "block"], "default": "continue" },
        }),
        "prompt" => json!({ "prompt": text() }),
        _ => json!({ "id": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$" }, "with": {} }),
    };
    let first = match kind {
        "http" => "url",
        "hook" => "id",
        other => other,
    };
    let mut properties = json!({
        "type": { "const": kind },
        "timeout": { "type": "number", "exclusiveMinimum": 0, "maximum": 3600, "description": "In seconds." },
        "statusMessage": text(),
        "once": flag(),
    });
    if let (Some(properties), Value::Object(own)) = (properties.as_object_mut(), own) {
        properties.extend(own);
        if event.is_of_a_tool() {
            properties.insert("if".to_owned(), text());
        }
        if let Value::Object(own) = formats::of(dialect).schema_of_handler(event, kind) {
            properties.extend(own);
        }
    }
    json!({ "type": "object", "required": ["type", first], "properties": properties })
}
