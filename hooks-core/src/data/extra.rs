//! Provider fields that this crate does not know, serialized next to the known ones.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::{Map, Value};

/// Defines, for each type with `extra`, a constant with the names of its known fields and a serializer that omits them:
/// readers disagree about the value of a duplicate key.
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

/// Deserializes the unknown fields of a tool result, and rejects JSON whose `type` says that it is another kind of
/// block.
pub(crate) fn read_of_result<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let mut extra = Map::deserialize(deserializer)?;
    match extra.remove("type") {
        None => Ok(extra),
        Some(tag) if tag == "tool_result" => Ok(extra),
        Some(tag) => Err(D::Error::custom(format!("expected a tool result, found a block of type {tag}"))),
    }
}
