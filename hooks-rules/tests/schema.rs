//! The schemas agree with the parser.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hooks_rules::{Dialect, Event, RuleFile, schema};
use serde_json::{Value, json};

/// A value for a property, by its schema.
fn example(property: &Value) -> Value {
    if let Some(fixed) = property.get("const") {
        return fixed.clone();
    }
    if let Some(words) = property.get("enum") {
        return words[0].clone();
    }
    match property.get("type").and_then(Value::as_str) {
        Some("string") if property.get("pattern").is_some() => json!("redact_pii"),
        Some("number") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!(["x"]),
        Some("object") if property.get("properties").is_some() => json!({}),
        Some("object") => json!({"X": "y"}),
        Some(_) => json!("Bash"),
        None => json!({}),
    }
}

/// Every handler that a schema allows, with all of its properties, is parsed without an error, and requires the
/// required ones.
#[test]
fn the_parser_accepts_every_handler_that_the_schemas_allow() {
    for dialect in [Dialect::Claude, Dialect::Agentao] {
        let schema = schema(dialect);
        for event in Event::all() {
            let Some(handlers) = schema["$defs"].get(format!("handler_{event}")) else {
                assert!(!dialect.knows(event), "{dialect} {event}");
                continue;
            };
            for handler in handlers["oneOf"].as_array().unwrap() {
                let properties = handler["properties"].as_object().unwrap();
                let full: Value = properties.iter().map(|(name, property)| (name.clone(), example(property))).collect();
                let read = |handler: &Value| {
                    let entry = if dialect == Dialect::Claude { json!({"hooks": [handler]}) } else { handler.clone() };
                    RuleFile::read_as(
                        "hooks.json",
                        &json!({"hooks": {event.as_str(): [entry]}}).to_string(),
                        Some(dialect),
                    )
                };
                let file = read(&full);
                assert_eq!(file.rules.len(), 1, "{dialect} {event} {full}: {:?}", file.defects);
                for needed in handler["required"].as_array().unwrap() {
                    let mut less = full.clone();
                    less.as_object_mut().unwrap().remove(needed.as_str().unwrap());
                    assert!(read(&less).rules.is_empty(), "{dialect} {event} {less}");
                }
            }
        }
    }
}

#[test]
fn the_schemas_name_every_event_of_their_form() {
    for dialect in [Dialect::Claude, Dialect::Agentao] {
        let schema = schema(dialect);
        let named = schema["properties"]["hooks"]["properties"].as_object().unwrap();
        assert_eq!(named.len(), Event::all().filter(|event| dialect.knows(*event)).count());
    }
}
