//! Describes what a type is deserialized from, for the author of invalid input.

use serde::de::Deserialize;

use crate::text::fields_of;

/// Describes what a `T` is deserialized from, such as ``an object with `cents` and `reason` ``. Falls back to the name
/// of the type.
pub(crate) fn expected<'de, T: Deserialize<'de>>() -> String {
    let names: Vec<String> = fields_of::<T>().iter().map(|field| format!("`{field}`")).collect();
    match names.split_last() {
        None => format!("`{}`", short_name(std::any::type_name::<T>())),
        Some((only, [])) => format!("an object with {only}"),
        Some((last, rest)) => format!("an object with {} and {last}", rest.join(", ")),
    }
}

/// The name of a type without its path. A generic type keeps its path, because its parameters have paths too.
fn short_name(path: &str) -> &str {
    if path.contains('<') { path } else { path.rsplit("::").next().unwrap_or(path) }
}
