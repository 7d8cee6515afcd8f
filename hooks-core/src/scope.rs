//! Which hooks are in force: the lists of the app, the agent and the prompt.

mod definition;
mod error;
mod fields;
mod json;
#[cfg(feature = "toml")]
mod toml_form;

use std::fmt;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

pub use crate::source::Place;
pub use definition::{AgentDef, AppDef, Definition, PromptDef};
#[cfg(feature = "toml")]
pub(crate) use definition::{read, unmarked};
pub use error::DefinitionError;

use crate::hook::Hook;
use crate::id::HookId;
use crate::source::Item;
use crate::tables::conversions;
use crate::text::one_line;

/// A function named in [`hooks!`](crate::hooks).
#[derive(Clone, Copy)]
pub struct HookRef {
    pub(crate) path: &'static str,
    pub(crate) function: fn() -> Item,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
}

impl HookRef {
    // Not public API. Used by `hooks!`.
    #[doc(hidden)]
    pub const fn new(path: &'static str, function: fn() -> Item, file: &'static str, line: u32) -> Self {
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
/// In a file, an entry is an id or `{"id": …, "as": …, "with": …}`.
#[derive(Clone, Debug)]
pub struct HookUse {
    pub(crate) name: HookName,
    /// The name of the hook in the scope, if it is not its id.
    pub(crate) alias: Option<HookId>,
    pub(crate) with: Option<Value>,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug)]
pub(crate) enum HookName {
    Id(HookId),
    Function(HookRef),
}

/// Compares hook, name and parameters, but not positions.
impl PartialEq for HookUse {
    fn eq(&self, other: &Self) -> bool {
        let named = match (&self.name, &other.name) {
            (HookName::Id(id), HookName::Id(other)) => id == other,
            (HookName::Function(function), HookName::Function(other)) => (function.function)() == (other.function)(),
            _ => false,
        };
        named && self.alias == other.alias && self.with == other.with
    }
}

impl HookUse {
    /// Names a hook by its id.
    pub fn id(id: &str) -> Self {
        Self::new(HookName::Id(HookId::new(id)))
    }

    fn new(name: HookName) -> Self {
        Self { name, alias: None, with: None, place: None }
    }

    /// Gives the hook another name in this scope, so that lists can name it several times, each with its own parameters.
    /// The plan, records and messages show that name.
    ///
    /// ```
    /// use hook_sdk::scope::HookUse;
    /// use serde_json::json;
    ///
    /// let searches = HookUse::id("limit_calls").alias("limit_searches").with(json!({ "tool": "search", "calls": 3 }));
    /// let refunds = HookUse::id("limit_calls").alias("limit_refunds").with(json!({ "tool": "refund", "calls": 1 }));
    /// # assert_ne!(searches, refunds);
    /// ```
    #[must_use]
    pub fn alias(mut self, name: &str) -> Self {
        self.alias = Some(HookId::new(name));
        self
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
    HookRef => |function| Self::new(HookName::Function(function)),
    &str => |id| Self::id(id),
    String => |id| Self::id(&id),
});

/// An entry for a list of hooks: an element of `hooks![…]`, an id, or a [`HookUse`] with parameters.
///
/// A list of functions does not compile:
///
/// ```compile_fail,E0277
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "count_calls", kind = after_tool_call)]
/// fn count_calls() {}
///
/// let agent = AgentDef::new("support").hooks(vec![count_calls]); // write `hooks![count_calls]`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a hook",
    label = "not an entry for a list of hooks",
    note = "name functions with `hooks![…]`, as in `.hooks(hooks![redact_pii])`, or hooks by their ids, as in `.hooks([\"redact_pii\"])`"
)]
pub trait ListEntry {
    /// Converts into an entry.
    fn into_use(self) -> HookUse;
}

#[diagnostic::do_not_recommend]
impl<T: Into<HookUse>> ListEntry for T {
    fn into_use(self) -> HookUse {
        self.into()
    }
}

/// The object form of an entry in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookEntry {
    id: HookId,
    #[serde(default, rename = "as")]
    alias: Option<HookId>,
    with: Option<Value>,
}

impl<'de> Deserialize<'de> for HookUse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(id) => Ok(Self::id(&id)),
            object @ Value::Object(_) => {
                let HookEntry { id, alias, with } = serde_json::from_value(object).map_err(D::Error::custom)?;
                Ok(Self { alias, with, ..Self::new(HookName::Id(id)) })
            }
            other => Err(D::Error::custom(one_line(&format!(
                "expected a hook: its id as a string, or an object with `id`, and optionally `as` and `with`; found {other}"
            )))),
        }
    }
}

impl Serialize for HookUse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let id = match &self.name {
            HookName::Id(id) => id.clone(),
            // A program may name a function by its path, but a file contains ids, which may differ from the function's
            // name.
            HookName::Function(function) => {
                let named = (function.function)();
                match Hook::linked().into_iter().find(|hook| hook.functions().any(|function| function == named)) {
                    Some(hook) => hook.id,
                    None => return Err(S::Error::custom(format!("{function:?} is not a hook"))),
                }
            }
        };
        let text = |id: &HookId| Value::from(id.as_str());
        let fields = [("id", Some(text(&id))), ("as", self.alias.as_ref().map(text)), ("with", self.with.clone())];
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let entry: Map<String, Value> = fields.collect();
        if entry.len() == 1 { id.serialize(serializer) } else { entry.serialize(serializer) }
    }
}
