//! Rejects parameters with a key that their type does not have. Serde ignores unknown keys, so a misspelt key of a
//! field with a default would silently leave the hook with that default.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::{fields_of, nearest_names};

/// Parses parameters and rejects unknown keys.
pub(super) fn read<T: DeserializeOwned>(given: Value) -> Result<T, String> {
    let mut unknown = Vec::new();
    let read: T = serde_ignored::deserialize(given, |path| unknown.push(path.to_string()))
        .map_err(|error: serde_json::Error| error.to_string())?;
    if unknown.is_empty() {
        return Ok(read);
    }
    let known = fields_of::<T>();
    let texts: Vec<String> = unknown.iter().map(|key| text(key, known)).collect();
    Err(texts.join("; "))
}

fn text(key: &str, known: &[&str]) -> String {
    // The field names are known only for the type itself, not for types nested in it.
    let known = if key.contains('.') { &[] } else { known };
    match nearest_names(key, known.iter().copied()) {
        none if none.is_empty() && !known.is_empty() => {
            format!("unknown field `{key}`, expected one of `{}`", known.join("`, `"))
        }
        near => format!("unknown field `{key}`{near}"),
    }
}
