//! Not public API. What generated code names a kind, a subject or a verdict through.
//!
//! Each trait gives the type itself back. A type that does not fit is then told once, in the words here and on the user's
//! token, and everything that is built on it is an unknown type, of which the compiler says nothing more. A bound of
//! [`HookKind`] would be told at every mention, with a place in this crate that helps nobody.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Error, Value};

use crate::kind::HookKind;
use crate::verdict::Verdict;

/// A kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook kind",
    label = "not a kind",
    note = "write a built-in kind in snake_case, such as `before_tool_call`, or a type with `#[derive(HookKind)]`"
)]
pub trait KindType {
    /// The type itself.
    type Itself: HookKind;
}

#[diagnostic::do_not_recommend]
impl<K: HookKind> KindType for K {
    type Itself = K;
}

/// A subject.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the subject of a kind",
    label = "not `Clone + Send + Sync + 'static`",
    note = "a subject is cloned and goes from thread to thread: derive `Clone`, and put what cannot be sent behind an `Arc` or a lock"
)]
pub trait SubjectType {
    /// The type itself.
    type Itself: Clone + Send + Sync + 'static;
}

#[diagnostic::do_not_recommend]
impl<S: Clone + Send + Sync + 'static> SubjectType for S {
    type Itself = S;
}

/// A verdict.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a verdict",
    label = "not a verdict",
    note = "use `()`, `Permission`, `PromptVerdict`, `Contributions`, or implement `Verdict` for a type of your own"
)]
pub trait VerdictType {
    /// The type itself.
    type Itself: Verdict;
}

#[diagnostic::do_not_recommend]
impl<V: Verdict> VerdictType for V {
    type Itself = V;
}

/// The value of a field to filter by.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be filtered by: a pattern is held against text",
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

/// What an event, a subject or a verdict is that can be written as JSON and read again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as JSON and read again, which `json` promises of event, subject and verdict",
    label = "needs `Serialize` and `Deserialize` of serde for `{Self}`",
    note = "derive both, or take `json` away: the kind can then be fired from Rust only"
)]
pub trait JsonType: Sized {
    /// The value that JSON tells.
    ///
    /// # Errors
    /// What serde says against it.
    fn read(value: Value) -> Result<Self, Error>;

    /// The JSON that tells the value.
    ///
    /// # Errors
    /// What serde says against it.
    fn write(&self) -> Result<Value, Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> JsonType for T {
    fn read(value: Value) -> Result<Self, Error> {
        serde_json::from_value(value)
    }

    fn write(&self) -> Result<Value, Error> {
        serde_json::to_value(self)
    }
}
