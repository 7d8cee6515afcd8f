//! Secrets in JSON.

use serde_json::Value;

use crate::names::{self, Name};
use crate::redact::{REDACTED, redact_named};

/// Replaces the secrets in `value`, which is the value of `name`. Returns whether there were any.
///
/// In addition to names and texts, this finds the value in `{"name": "API_KEY", "value": "…"}`, in
/// `["Authorization", "…"]`, and after `"--password"` in a list of arguments.
pub fn redact_json(name: &str, value: &mut Value) -> bool {
    let mut clean = |name: &str, text: &mut String| redact_named(name, text).map(|clean| *text = clean).is_some();
    redact_json_with(name, value, &mut clean)
}

/// Like [`redact_json`], with a function of your own for each text. It gets the name of the text, and returns whether it
/// has changed the text.
pub fn redact_json_with(name: &str, value: &mut Value, clean: &mut dyn FnMut(&str, &mut String) -> bool) -> bool {
    match value {
        Value::String(text) => clean(name, text),
        Value::Number(number) if names::is_secret_name(name) || names::hides(name, &number.to_string()) => {
            *value = Value::String(REDACTED.to_owned());
            true
        }
        Value::Array(items) => {
            let mut any = false;
            let mut before = String::new();
            for item in items {
                let flag = before.trim_start_matches('-');
                let is_flag = before.starts_with('-') && names::of(flag) != Name::Harmless;
                let is_named = (is_flag || names::is_secret_name(flag)) && !flag.contains([' ', '=']);
                let name = if is_named && item.is_string() { flag.to_owned() } else { name.to_owned() };
                item.as_str().unwrap_or_default().clone_into(&mut before);
                any |= redact_json_with(&name, item, clean);
            }
            any
        }
        Value::Object(fields) => {
            let named = ["name", "key", "header", "Name", "Key"].iter().find_map(|key| fields.get(*key)?.as_str());
            let named = named.filter(|named| names::of(named) != Name::Harmless).map(str::to_owned);
            let mut any = false;
            for (key, value) in fields {
                let name = match &named {
                    Some(named) if key.eq_ignore_ascii_case("value") => named,
                    _ => key,
                };
                any |= redact_json_with(name, value, clean);
            }
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
