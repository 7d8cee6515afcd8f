//! What a type expects to be read from, in words for the one who wrote something else.

use serde::de::Deserialize;

use crate::text::fields_of;

/// What a `T` is read from: ``an object with `cents` and `reason` ``, or the name of the type where it does not say.
pub(crate) fn expected<'de, T: Deserialize<'de>>() -> String {
    let names: Vec<String> = fields_of::<T>().iter().map(|field| format!("`{field}`")).collect();
    match names.split_last() {
        None => format!("`{}`", short_name(std::any::type_name::<T>())),
        Some((only, [])) => format!("an object with {only}"),
        Some((last, rest)) => format!("an object with {} and {last}", rest.join(", ")),
    }
}

/// The name of a type without its path. Of a generic one the whole: its parameters have paths too.
fn short_name(path: &str) -> &str {
    if path.contains('<') { path } else { path.rsplit("::").next().unwrap_or(path) }
}
