//! The fields of a provider that this crate does not know, written next to those that it does.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::{Map, Value};

/// A function for each type that has `extra`: it leaves out what the type writes itself, because a key that stands twice
/// is another value to every reader. And the names that are left out.
macro_rules! writers {
    ($($write:ident, $names:ident = [$($name:literal),*];)*) => {$(
        pub(crate) const $names: &[&str] = &[$($name),*];

        pub(crate) fn $write<S: Serializer>(extra: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(extra.iter().filter(|(name, _)| !$names.contains(&name.as_str())))
        }
    )*};
}

writers! {
    of_text, TEXT = ["type", "text"];
    of_call, CALL = ["type", "id", "name", "input", "declared_as"];
    of_result_block, RESULT_BLOCK = ["type", "tool_use_id", "name", "content", "is_error"];
    of_result, RESULT = ["type", "content", "is_error", "additional_context", "said_by"];
    of_row, ROW = ["call_id", "tool", "content", "is_error"];
    of_message, MESSAGE = ["role", "content"];
}

/// What is left of a tool's result, which is no block of a message: one that says so by its `type` is another thing.
pub(crate) fn read_of_result<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let mut extra = Map::deserialize(deserializer)?;
    match extra.remove("type") {
        None => Ok(extra),
        Some(tag) if tag == "tool_result" => Ok(extra),
        Some(tag) => Err(D::Error::custom(format!("expected the result of a tool, found a block of the type {tag}"))),
    }
}
