//! Attributes in the JSON of OTLP: integers are texts there.

use serde::Serialize;
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Attributes(Vec<Value>);

impl Attributes {
    pub(super) fn of(pairs: &[(&str, &str)]) -> Self {
        let mut all = Self::default();
        for (name, value) in pairs {
            all.add(name, *value);
        }
        all
    }

    pub(super) fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.0.push(json!({ "key": name, "value": any(value.into()) }));
    }

    pub(super) fn add_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }
}

/// An `AnyValue`.
fn any(value: Value) -> Value {
    match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Bool(is) => json!({ "boolValue": is }),
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::Array(values) => json!({ "arrayValue": { "values": values.into_iter().map(any).collect::<Vec<_>>() } }),
        other => json!({ "stringValue": other.to_string() }),
    }
}
