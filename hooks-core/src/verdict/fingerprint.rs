//! FNV-1a with 128 bits over a JSON value.

use serde_json::Value;

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The value's bits as 32 digits.
pub(super) fn fingerprint(value: &Value) -> String {
    let mut hash = OFFSET;
    walk(value, &mut |text| {
        // A byte that no text has ends each part, so that two never read as another two.
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    });
    format!("{hash:032x}")
}

/// The parts of a value in an order of their own, whatever order its maps keep.
fn walk(value: &Value, part: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            part("{");
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in fields {
                part(key);
                walk(value, part);
            }
            part("}");
        }
        Value::Array(items) => {
            part("[");
            for item in items {
                walk(item, part);
            }
            part("]");
        }
        Value::String(text) => {
            part("\"");
            part(text);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => part(&value.to_string()),
    }
}
