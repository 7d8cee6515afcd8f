//! Parameters that a list passes to a hook: `{"id": "guard_cancel", "with": {"limit": 200}}`.
//!
//! They are parsed once, when the set is made, and reach the hook in its own context. A hook without parameters gets
//! the dispatch's context and pays nothing.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::state::TypeSpec;
use crate::text::{fields_of, nearest_names};

/// Parameters that a list passes to a hook. The function takes them as `&With<T>`.
///
/// Each list passes its own: `{"id": "guard_cancel", "with": {"limit": 200}}`. They are parsed when the set is made, so
/// invalid parameters are an error with file, line and column before any hook runs. If the list has none, or `null`,
/// they are parsed from an empty object: this works if the fields have `#[serde(default)]`, and is an error otherwise.
/// An unknown key is an error too, and the message suggests the nearest field.
///
/// ```standalone_crate
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// #[derive(serde::Deserialize)]
/// struct Limits {
///     words: usize,
/// }
///
/// #[hook(id = "shorten", kind = before_create_message)]
/// fn shorten(row: &mut Message, limits: &With<Limits>) {
///     row.rewrite_text(|text| Some(text.split(' ').take(limits.words).collect::<Vec<_>>().join(" ")));
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::discover()?;
/// let prompt = r#"{"name": "terse", "hooks": [{"id": "shorten", "with": {"words": 2}}]}"#;
/// let prompt = PromptDef::from_json("terse.json", prompt)?;
/// let hooks = registry.scope(&AgentDef::new("support"), Some(&prompt))?;
/// let row = Message::new(Role::User, "one two three");
/// let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row)?;
/// assert_eq!(fired.subject.text(), "one two");
///
/// let prompt = PromptDef::from_json("terse.json", r#"{"name": "terse", "hooks": ["shorten"]}"#)?;
/// let error = registry.scope(&AgentDef::new("support"), Some(&prompt)).unwrap_err();
/// assert!(error.to_string().contains("missing field `words`"));
///
/// // The function stays an ordinary one.
/// shorten(&mut Message::new(Role::User, "hello"), &With::new(Limits { words: 1 }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct With<T>(T);

impl<T> With<T> {
    /// Wraps parameters, for a test that calls the function directly.
    pub const fn new(parameters: T) -> Self {
        Self(parameters)
    }

    /// Returns the parameters by value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for With<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A type that can be the parameters of a hook: deserializable, and shareable between threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as the parameters of a hook",
    label = "must implement `serde::Deserialize` and be `Send + Sync + 'static`",
    note = "derive `serde::Deserialize` for it"
)]
pub trait Parameters: DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + Send + Sync + 'static> Parameters for T {}

/// Type-erased parameters, as plans and contexts hold them.
pub(crate) type Bound = Arc<dyn Any + Send + Sync>;

/// Parses the parameters of a hook.
#[derive(Clone, Copy, Debug)]
pub struct WithSpec {
    pub(crate) of: TypeSpec,
    parse: fn(Value) -> Result<Bound, String>,
}

impl WithSpec {
    pub(crate) const fn of<T: Parameters>() -> Self {
        Self {
            parse: |value| read::<T>(value).map(|parameters| Arc::new(With(parameters)) as Bound),
            of: TypeSpec::of::<T>(),
        }
    }

    /// Parses what a list passes. No parameters count as an empty object.
    pub(crate) fn parse(self, given: Option<&Value>) -> Result<Bound, String> {
        let value = given.cloned().unwrap_or_else(|| Value::Object(Map::new()));
        // The `Deserialize` implementation is user code and may panic.
        crate::panics::catch(|| (self.parse)(value))
            .unwrap_or_else(|panic| Err(format!("parsing them panicked: {panic}")))
    }
}

/// Parses parameters and rejects unknown keys. Serde ignores them, so a misspelt key of a field with a default would
/// silently leave the hook with that default.
fn read<T: DeserializeOwned>(given: Value) -> Result<T, String> {
    let mut keys = Vec::new();
    let read: T = serde_ignored::deserialize(given, |path| keys.push(path.to_string()))
        .map_err(|error: serde_json::Error| error.to_string())?;
    if keys.is_empty() {
        return Ok(read);
    }
    let known = fields_of::<T>();
    let texts: Vec<String> = keys.iter().map(|key| unknown(key, known)).collect();
    Err(texts.join("; "))
}

/// What is wrong with an unknown key.
fn unknown(key: &str, known: &[&str]) -> String {
    // The field names are known only for the type itself, not for types nested in it.
    let known = if key.contains('.') { &[] } else { known };
    match nearest_names(key, known.iter().copied()) {
        none if none.is_empty() && !known.is_empty() => {
            format!("unknown field `{key}`, expected one of `{}`", known.join("`, `"))
        }
        near => format!("unknown field `{key}`{near}"),
    }
}
