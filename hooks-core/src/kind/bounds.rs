//! What the macros ask of a kind and its types. Their names are in the compiler's messages; nobody implements them: each holds
//! for every type that fits.
//!
//! Each associated `Type` is the type again. A type that does not fit is then reported once, in the words here and on the
//! user's token, and everything that is built on it is an unknown type, of which the compiler says nothing more. A bound of
//! [`HookKind`] would be reported at every mention, with a place in this crate that helps nobody.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{HookKind, Wire};
use crate::verdict::Verdict;

/// A kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook kind",
    label = "not a kind",
    note = "write a built-in kind in snake_case, such as `before_tool_call`, or a type with `#[derive(HookKind)]`"
)]
pub trait KindType {
    /// The type.
    type Type: HookKind;
}

#[diagnostic::do_not_recommend]
impl<K: HookKind> KindType for K {
    type Type = K;
}

/// A subject.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the subject of a kind",
    label = "not `Clone + Send + Sync + 'static`",
    note = "a subject is cloned and goes from thread to thread: derive `Clone`, and put what cannot be sent behind an `Arc` or a lock"
)]
pub trait SubjectType {
    /// The type.
    type Type: Clone + Send + Sync + 'static;
}

#[diagnostic::do_not_recommend]
impl<S: Clone + Send + Sync + 'static> SubjectType for S {
    type Type = S;
}

/// A verdict.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a verdict",
    label = "not a verdict",
    note = "use `()`, `Permission`, `PromptVerdict`, `Contributions`, or a type of your own with `#[derive(Clone, Debug, Verdict)]`"
)]
pub trait VerdictType {
    /// The type.
    type Type: Verdict;
}

#[diagnostic::do_not_recommend]
impl<V: Verdict> VerdictType for V {
    type Type = V;
}

/// The value of a field to filter by.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be a filter field: a pattern matches text",
    label = "not `AsRef<str>`",
    note = "name a field that is a `String`, a `&'static str`, or a type with `AsRef<str>`"
)]
pub trait FieldText {
    /// The text.
    fn text(&self) -> &str;
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<str> + ?Sized> FieldText for T {
    fn text(&self) -> &str {
        self.as_ref()
    }
}

/// An event that a hook can have of its own.
#[diagnostic::on_unimplemented(
    message = "a hook with `run = detached` or `blocking` has an event of its own, and `{Self}` cannot be cloned",
    label = "needs `{Self}: Clone`",
    note = "derive `Clone` for the event"
)]
pub trait OwnedEvent: Sized {
    /// Its own copy.
    fn own(event: &Self) -> std::sync::Arc<Self>;
}

#[diagnostic::do_not_recommend]
impl<K: HookKind + Clone> OwnedEvent for K {
    fn own(event: &Self) -> std::sync::Arc<Self> {
        std::sync::Arc::new(event.clone())
    }
}

/// What an event, a subject or a verdict is that can be written as JSON and read again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be serialised to JSON and back, which `json` requires of event, subject and verdict",
    label = "needs `Serialize` and `Deserialize` of serde for `{Self}`",
    note = "derive both, or take `json` away: the kind can then be fired from Rust only"
)]
pub trait JsonType {
    /// Asks for the bound, at the place where a type that does not fit is reported.
    fn json(_: &Self) {}
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> JsonType for T {}

/// A [`JsonType`] as a bound.
#[doc(hidden)]
pub trait Serde: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Serde for T {}

/// The way to write a kind's values as JSON.
#[doc(hidden)]
#[derive(Debug)]
pub struct Json<K>(PhantomData<K>);

/// There is none for a kind of which something is no [`JsonType`], which is reported at its own place. A constant of the type
/// itself is found before one of a trait.
#[doc(hidden)]
pub trait NoJson<K: HookKind> {
    const WIRE: Option<fn() -> Wire<K>> = None;
}

impl<K: HookKind> NoJson<K> for Json<K> {}

impl<K: HookKind<Subject: Serde, Verdict: Serde> + Serde> Json<K> {
    pub const WIRE: Option<fn() -> Wire<K>> = Some(Wire::of);
}
