//! Parameters that a list gives to a hook: `{"id": "guard_cancel", "with": {"limit": 200}}`.
//!
//! They are parsed once, when the set is made, and travel to the hook in a context of its own: a hook without parameters
//! is called as if there were none.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::HookContext;
use crate::context::OfHook;
use crate::hook::{Apart, Handler, Lend, Own, OwnAsync, Read, ReadAsync, call};
use crate::kind::HookKind;
use crate::param;

/// The parameters that a list gives to a hook, taken as `&With<T>`.
///
/// Each list gives its own: `{"id": "guard_cancel", "with": {"limit": 200}}`. They are read when the set is made, so wrong
/// ones are an error with file, line and column before any hook runs. Where a list gives none, or `null`, they are read
/// from an empty object: with `#[serde(default)]` on its fields a hook can do without, and otherwise that is an error too.
///
/// ```standalone_crate
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
        Self(|value| match serde_json::from_value::<T>(value) {
            Ok(parameters) => Ok(Arc::new(With(parameters))),
            Err(error) => Err(error.to_string()),
        })
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

/// Whether the parameter `&T` is one that a list gives, by its type: [`AsksNothing`] answers where this does not.
pub struct Asks<T: ?Sized>(PhantomData<fn() -> PhantomData<T>>);

impl<T: ?Sized> fmt::Debug for Asks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asks")
    }
}

impl<T: Parameters> Asks<With<T>> {
    /// How it is read.
    pub const SPEC: Option<WithSpec> = Some(WithSpec::of::<T>());
}

impl Asks<HookContext> {
    /// It is the context.
    pub const CONTEXT: bool = true;
}

/// The answer of every other type.
pub trait AsksNothing {
    /// Nothing is read.
    const SPEC: Option<WithSpec> = None;
    /// It is something else.
    const CONTEXT: bool = false;
}

impl<T: ?Sized> AsksNothing for Asks<T> {}

/// The first of a hook's parameters that a list gives; that there is but one was checked at its token.
pub const fn first(specs: &[Option<WithSpec>]) -> Option<WithSpec> {
    let mut i = 0;
    while i < specs.len() {
        if specs[i].is_some() {
            return specs[i];
        }
        i += 1;
    }
    None
}

/// Whether one of them is true.
pub const fn any(all: &[bool]) -> bool {
    let mut i = 0;
    while i < all.len() {
        if all[i] {
            return true;
        }
        i += 1;
    }
    false
}

/// Marks parameters that a list gives.
#[derive(Debug)]
pub enum ViaWith {}

#[diagnostic::do_not_recommend]
impl<'a, K, S, T: Parameters> param::Read<'a, K, S, ViaWith> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        taken(cx)
    }

    fn read_apart(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        taken(cx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, T: Parameters> param::Beside<'a, K, ViaWith> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        taken(cx)
    }
}

#[allow(clippy::panic)] // every set binds them before it calls; if one did not, that would be this hook's failure
fn taken<T: Parameters>(cx: &HookContext) -> &With<T> {
    match cx.with() {
        Some(parameters) => parameters,
        None => panic!("no list gave this hook its parameters"),
    }
}

impl<K: HookKind> Handler<K> {
    /// The same function, its context holding this.
    pub(crate) fn bound(&self, own: &Arc<OfHook>) -> Self {
        let own = Arc::clone(own);
        match self.clone() {
            Self::Read(hook) => Self::read(move |cx, event, subject| {
                let cx = &cx.bound(&own);
                call!(Read::&hook(cx, event, subject))
            }),
            Self::Lend(hook) => Self::lend(move |cx, event, subject| {
                let cx = &cx.bound(&own);
                call!(Lend::&hook(cx, event, subject))
            }),
            Self::Own(hook) => Self::own(move |cx, event, subject| {
                let cx = &cx.bound(&own);
                call!(Own::&hook(cx, event, subject))
            }),
            Self::ReadAsync(hook) => Self::read_async(move |cx, event, subject| {
                let (cx, hook) = (cx.bound(&own), hook.clone());
                Box::pin(async move { call!(ReadAsync::&hook(&cx, event, subject)).await })
            }),
            Self::OwnAsync(hook) => Self::own_async(move |cx, event, subject| {
                let (cx, hook) = (cx.bound(&own), hook.clone());
                Box::pin(async move { call!(OwnAsync::&hook(&cx, event, subject)).await })
            }),
            Self::Apart(hook) => Self::apart(move |cx, event, subject| {
                let (cx, hook) = (cx.bound(&own), hook.clone());
                Box::pin(async move { call!(Apart::&hook(&cx, event, subject)).await })
            }),
        }
    }
}
