//! Parameters that a list gives to a hook: `{"id": "guard_cancel", "with": {"limit": 200}}`.
//!
//! They are parsed once, when the set is made, and travel to the hook in a context of its own: a hook without parameters
//! is called as if there were none.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

mod unknown;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The parameters that a list gives to a hook, taken as `&With<T>`.
///
/// Each list gives its own: `{"id": "guard_cancel", "with": {"limit": 200}}`. They are read when the set is made, so wrong
/// ones are an error with file, line and column before any hook runs. Where a list gives none, or `null`, they are read
/// from an empty object: with `#[serde(default)]` on its fields a hook can do without, and otherwise that is an error too.
/// A key that the type has no field for is an error as well, with the nearest field.
///
/// ```standalone_crate
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
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
    /// Parameters that no list gave, for a test that calls the function.
    pub const fn new(parameters: T) -> Self {
        Self(parameters)
    }

    /// The parameters by value.
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

/// A type whose values a list can give to a hook: one that serde reads, and that hooks on all threads may share.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a hook",
    label = "parameters have to be read from a list, and be `Send + Sync + 'static`",
    note = "derive `serde::Deserialize` for it"
)]
pub trait Parameters: DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + Send + Sync + 'static> Parameters for T {}

/// Parameters as a plan and a context hold them.
pub(crate) type Bound = Arc<dyn Any + Send + Sync>;

/// How a hook's parameters are read.
#[derive(Clone, Copy)]
pub struct WithSpec(fn(Value) -> Result<Bound, String>);

impl WithSpec {
    pub(crate) const fn of<T: Parameters>() -> Self {
        Self(|value| unknown::read::<T>(value).map(|parameters| Arc::new(With(parameters)) as Bound))
    }

    /// Reads what a list gives; nothing is read as an empty object.
    pub(crate) fn parse(self, given: Option<&Value>) -> Result<Bound, String> {
        let value = given.cloned().unwrap_or_else(|| Value::Object(Map::new()));
        // The type is the user's, and so is the code that reads it.
        crate::panics::catch(|| (self.0)(value)).unwrap_or_else(|panic| Err(format!("reading them panicked: {panic}")))
    }
}

impl fmt::Debug for WithSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WithSpec")
    }
}
