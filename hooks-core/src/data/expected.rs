//! Describes what a type is deserialized from, for the author of invalid input.

use serde::de::Deserialize;

use crate::text::{fields_of, redacted};

/// The arguments of a tool call, or the app's plan, are not what a hook or a tool expected. Returned by
/// [`ToolInput::read`](super::ToolInput::read) and
/// [`PostPreflightPromptContext::read_plan`](crate::kinds::PostPreflightPromptContext::read_plan).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of}expected {expected}: {problem}")]
pub struct InputError {
    of: &'static str,
    expected: String,
    problem: String,
}

impl InputError {
    /// The error of an input that is no `T`. `of` says which one it is.
    pub(crate) fn of<'de, T: Deserialize<'de>>(of: &'static str, problem: &str) -> Self {
        Self { of, expected: expected::<T>(), problem: redacted(problem) }
    }
}

/// Describes what a `T` is deserialized from, such as ``an object with `cents` and `reason` ``. Falls back to the name
/// of the type.
fn expected<'de, T: Deserialize<'de>>() -> String {
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
