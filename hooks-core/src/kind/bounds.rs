//! Bounds that the macros require of kinds and their types. Their names appear in compiler messages. Nobody implements
//! them: each has a blanket implementation for every type that qualifies.
//!
//! Each associated `Type` is the type itself. For a type that does not qualify, the compiler reports the message here
//! once, at the user's token; everything built on it is then an unknown type, about which the compiler says nothing
//! more. A bound on [`HookKind`] would be reported at every use, with an unhelpful location in this crate.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::HookKind;
use crate::verdict::Verdict;

/// A type that is a kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook kind",
    label = "not a kind",
    note = "write a built-in kind in snake_case, such as `before_tool_call`, or a type with `#[derive(HookKind)]`"
)]
pub trait KindType {
    /// The type itself.
    type Type: HookKind;
}

#[diagnostic::do_not_recommend]
impl<K: HookKind> KindType for K {
    type Type = K;
}

/// A type that can be the subject of a kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the subject of a kind",
    label = "not `Clone + Send + Sync + 'static`",
    note = "a subject is cloned and moves between threads: derive `Clone`, and put fields that are not `Send` or `Sync` behind an `Arc` or a lock"
)]
pub trait SubjectType {
    /// The type itself.
    type Type: Clone + Send + Sync + 'static;
}

#[diagnostic::do_not_recommend]
impl<S: Clone + Send + Sync + 'static> SubjectType for S {
    type Type = S;
}

/// A type that is a verdict.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a verdict",
    label = "not a verdict",
    note = "use `()`, `Permission`, `PromptVerdict`, `Contributions`, or a type of your own with `#[derive(Clone, Debug, Verdict)]`"
)]
pub trait VerdictType {
    /// The type itself.
    type Type: Verdict;
}

#[diagnostic::do_not_recommend]
impl<V: Verdict> VerdictType for V {
    type Type = V;
}

/// The type of a field by which hooks can filter.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be a filter field: a pattern matches text",
    label = "not `AsRef<str>`",
    note = "name a field of type `String`, `&'static str`, or another type that implements `AsRef<str>`"
)]
pub trait FieldText {
    /// Returns the text to match.
    fn text(&self) -> &str;
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<str> + ?Sized> FieldText for T {
    fn text(&self) -> &str {
        self.as_ref()
    }
}

/// An event that can be cloned for a hook that outlives or leaves the dispatch.
#[diagnostic::on_unimplemented(
    message = "a hook with `run = detached` or `blocking` needs its own copy of the event, but `{Self}` cannot be cloned",
    label = "needs `{Self}: Clone`",
    note = "derive `Clone` for the event"
)]
pub trait OwnedEvent: Sized {
    /// Clones the event.
    fn own(event: &Self) -> std::sync::Arc<Self>;
}

#[diagnostic::do_not_recommend]
impl<K: HookKind + Clone> OwnedEvent for K {
    fn own(event: &Self) -> std::sync::Arc<Self> {
        std::sync::Arc::new(event.clone())
    }
}

/// A type that can be serialized as JSON and deserialized again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be serialized to JSON and back, which `json` requires of event, subject and verdict",
    label = "needs `{Self}: serde::Serialize + serde::Deserialize`",
    note = "derive both, or remove `json`: the kind can then only be fired from Rust"
)]
pub trait JsonType {
    /// Requires the bound at the location where a violation is reported.
    fn json(_: &Self) {}
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> JsonType for T {}
