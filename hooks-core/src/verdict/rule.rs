//! The merge rules of `derive(Verdict)`, as trait bounds on a field's type. Their names appear in compiler messages.
//! Their items are for generated code and may change in any version.
//!
//! There is one trait per rule, because a trait has one message for types that do not implement it. The associated
//! `Type` is the type itself: for a type that does not fit, the compiler reports this once and treats everything
//! derived from it as unknown.

mod types;

use std::fmt;
use std::sync::Arc;

use crate::id::HookId;
use crate::verdict::{Attribution, Denial, Semantics};

/// The traits that a verdict needs in addition to its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lacks a trait that every verdict needs",
    label = "not `Clone + Debug + Send + Sync + 'static`",
    note = "write `#[derive(Clone, Debug, Verdict)]`, and put fields that are not `Send` or `Sync` behind an `Arc` or a lock"
)]
pub trait Complete {
    /// Requires the bound.
    fn complete(_: &Self) {}
}

// `From<()>` comes with the derive. References do not implement it; otherwise the compiler would suggest to borrow.
#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + From<()> + Send + Sync + 'static> Complete for V {}

/// The same bound for the implementation. Because of its lifetime, the compiler does not check it early, so that a
/// missing trait is reported only through [`Complete`].
pub trait Completes<'a>: Clone + fmt::Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + Send + Sync + 'static> Completes<'_> for V {}

/// A type with a value for "not set", which every rule except `any` needs. It is enough for `first` and `last`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no value for \"not set\", which `first` and `last` need",
    label = "cannot be unset",
    note = "make it an `Option`; a `String`, a list, a map or a set counts as not set if it is empty"
)]
pub trait Keeps: Sized {
    /// The type itself.
    type Type: Keeps;
    /// The initial value.
    fn nothing() -> Self;
    /// Whether a hook set it.
    fn says(&self) -> bool;

    /// Keeps the earlier value.
    #[inline]
    fn first(&mut self, later: Self) {
        if !self.says() {
            *self = later;
        }
    }

    /// Keeps the later value.
    #[inline]
    fn last(&mut self, later: Self) {
        if later.says() {
            *self = later;
        }
    }
}

/// Types for the rule `joined`.
#[diagnostic::on_unimplemented(
    message = "two of `{Self}` cannot be joined",
    label = "not a list, a set, a map or text",
    note = "use `Vec`, `String`, `Contexts`, a set or a map, or an `Option` of one of them; or choose another rule"
)]
pub trait Joins: Keeps {
    /// The type itself.
    type Type: Joins;
    /// Appends `later`.
    fn join(&mut self, later: Self);
}

/// Types for the rule `intersected`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be intersected",
    label = "not an `Option` of a list or a set",
    note = "write `Option<Vec<…>>` or `Option<BTreeSet<…>>`: `None` sets no limit, an empty list allows nothing"
)]
pub trait Intersects: Keeps {
    /// The type itself.
    type Type: Intersects;
    /// Keeps what both contain.
    fn intersect(&mut self, later: Self);
}

/// Types for the rule `any`.
#[diagnostic::on_unimplemented(
    message = "`any` needs a `bool`, but this is `{Self}`",
    label = "not a `bool`",
    note = "choose another rule, such as `first`"
)]
pub trait AnyOf: Sized {
    /// The type itself.
    type Type: AnyOf;
    /// The initial value.
    fn nothing() -> Self;
    /// Whether a hook set it.
    fn says(&self) -> bool;
    /// Sets it if `later` is set.
    fn merge(&mut self, later: Self);
}

/// Types for the rules `max` and `min`.
#[diagnostic::on_unimplemented(
    message = "two of `{Self}` cannot be compared by `max` and `min`",
    label = "not an `Option` of a type with `Ord`",
    note = "for a number, write for example `Option<u32>`; `None` means not set"
)]
pub trait Compares: Keeps {
    /// The type itself.
    type Type: Compares;
    /// Keeps the greater value.
    fn max(&mut self, later: Self);
    /// Keeps the smaller value.
    fn min(&mut self, later: Self);
}

/// Types for the rule `by`; in a struct it also needs [`Keeps`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the hook that answered",
    label = "not an `Option<HookId>`",
    note = "the dispatch sets `by`; until then it is `None`; in a variant, a `Denial` or a `Question` names the hook too"
)]
pub trait Attributed {
    /// The type itself.
    type Type: Attributed;
    /// Sets the hook.
    fn attribute(&mut self, hook: &HookId);

    /// The rule on whose behalf the hook answers.
    fn attribution(&self) -> Option<&Arc<Attribution>> {
        None
    }
}

/// The type of the field of the `deny` variant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot express that a hook failed to answer",
    label = "not `From<Denial>`",
    note = "use `Denial`, or implement `From<Denial>` for your type: it distinguishes a hook's decision from its failure"
)]
pub trait Refusal {
    /// Converts the denial.
    fn refusal(denial: Denial) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<Denial>> Refusal for T {
    fn refusal(denial: Denial) -> Self {
        denial.into()
    }
}

/// The semantics of a verdict with nested verdicts: that of a gate if one of them is a gate's.
pub const fn semantics_of(within: &[Option<Semantics>], otherwise: Semantics) -> Semantics {
    let mut i = 0;
    while i < within.len() {
        if matches!(within[i], Some(Semantics::Gate)) {
            return Semantics::Gate;
        }
        i += 1;
    }
    otherwise
}
