//! Which hooks are in force: the lists of the app, the agent and the prompt.

mod definition;
mod entry;
mod error;
mod fields;
mod file;
mod json;
#[cfg(feature = "toml")]
mod toml_form;

use std::any::TypeId;
use std::fmt;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub use crate::source::Place;
pub use definition::{AgentDef, AppDef, Definition, PromptDef};
pub use entry::ListEntry;
pub use error::DefinitionError;
#[cfg(feature = "toml")]
pub(crate) use file::{read, unmarked};

use crate::hook::Hook;
use crate::id::HookId;
use crate::tables::conversions;
use crate::text::one_line;

/// A function named in [`hooks!`](crate::hooks).
#[derive(Clone, Copy)]
pub struct HookRef {
    pub(crate) path: &'static str,
    pub(crate) function: fn() -> TypeId,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
}

impl HookRef {
    // Not public API. Used by `hooks!`.
    #[doc(hidden)]
    pub const fn new(path: &'static str, function: fn() -> TypeId, file: &'static str, line: u32) -> Self {
        Self { path, function, file, line }
    }
}

impl fmt::Debug for HookRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}:{}", self.path, self.file, self.line)
    }
}

inventory::collect!(HookRef);

/// An entry of a list: the hook, its parameters, and the position of the entry.
///
/// In a file, an entry is an id or `{"id": …, "with": …}`.
#[derive(Clone, Debug)]
pub struct HookUse {
    pub(crate) name: HookName,
    pub(crate) with: Option<Value>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug)]
pub(crate) enum HookName {
    Id(HookId),
    Function(HookRef),
}

/// Compares hook and parameters, but not positions.
impl PartialEq for HookUse {
    fn eq(&self, other: &Self) -> bool {
        let named = match (&self.name, &other.name) {
            (HookName::Id(id), HookName::Id(other)) => id == other,
            (HookName::Function(function), HookName::Function(other)) => (function.function)() == (other.function)(),
            _ => false,
        };
        named && self.with == other.with
    }
}

impl HookUse {
    /// Names a hook by its id.
    pub fn id(id: &str) -> Self {
        Self { name: HookName::Id(HookId::new(id)), with: None, place: None }
    }

    /// Passes parameters to the hook: `HookUse::id("guard_cancel").with(json!({"limit": 200}))`. `null` passes none.
    #[must_use]
    pub fn with(mut self, parameters: Value) -> Self {
        self.with = (!parameters.is_null()).then_some(parameters);
        self
    }

    /// The position of the entry as `file:line:column`, or that of its `hooks![…]`.
    pub(crate) fn position(&self) -> Option<String> {
        match (&self.place, &self.name) {
            (Some(place), _) => Some(place.to_string()),
            (None, HookName::Function(function)) => Some(format!("{}:{}", function.file, function.line)),
            (None, HookName::Id(_)) => None,
        }
    }
}

conversions!(HookUse {
    HookRef => |function| Self { name: HookName::Function(function), with: None, place: None },
    &str => |id| Self::id(id),
    String => |id| Self::id(&id),
});

/// The object form of an entry in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookEntry {
    id: String,
    #[serde(default)]
    with: Option<Value>,
}

impl<'de> Deserialize<'de> for HookUse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(id) => Ok(Self::id(&id)),
            object @ Value::Object(_) => {
                let entry: HookEntry = serde_json::from_value(object).map_err(D::Error::custom)?;
                Ok(Self { with: entry.with, ..Self::id(&entry.id) })
            }
            other => Err(D::Error::custom(one_line(&format!(
                "expected a hook: its id as a string, or an object with `id` and an optional `with`; found {other}"
            )))),
        }
    }
}

impl Serialize for HookUse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let id = match &self.name {
            HookName::Id(id) => id.as_str(),
            // A program may name a function by its path, but a file contains ids, which may differ from the function's
            // name.
            HookName::Function(function) => {
                let named = (function.function)();
                match Hook::linked().find(|(function, _)| *function == named) {
                    Some((_, hook)) => hook.id.as_str(),
                    None => return Err(S::Error::custom(format!("{function:?} is not a hook"))),
                }
            }
        };
        match &self.with {
            None => serializer.serialize_str(id),
            Some(with) => serde_json::json!({ "id": id, "with": with }).serialize(serializer),
        }
    }
}
