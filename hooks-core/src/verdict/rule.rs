//! The rules of `derive(Verdict)`, as the bounds of a field's type. Their names are in the compiler's messages; their items are
//! for generated code, and may change in any version.
//!
//! One trait per rule, because the message about a type that does not fit belongs to its trait. The associated `Type` is the
//! type again: where a type does not fit, the compiler reports it once and takes everything behind it as unknown.

mod types;

use std::fmt;
use std::sync::Arc;

use crate::failure::FailureKind;
use crate::id::HookId;
use crate::verdict::Cause;
use crate::verdict::Semantics;
use crate::verdict::{Attribution, Denial, Reason};

/// What a verdict needs besides its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lacks what every verdict has",
    label = "not `Clone + Debug + Send + Sync + 'static`",
    note = "write `#[derive(Clone, Debug, Verdict)]`, and put what cannot be sent behind an `Arc` or a lock"
)]
pub trait Complete {
    /// Asks for the bound.
    fn complete(_: &Self) {}
}

// `From<()>` comes with the derive; no reference has it, or the compiler would advise to borrow.
#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + From<()> + Send + Sync + 'static> Complete for V {}

/// The same as a bound of the implementation. By its lifetime the compiler leaves it until it is asked for, so that what is
/// missing is reported by [`Complete`] alone.
#[doc(hidden)]
pub trait Completes<'a>: Clone + fmt::Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + Send + Sync + 'static> Completes<'_> for V {}

/// The type of a field that may say nothing, which every rule but `any` needs: `first` and `last` need no more.
#[diagnostic::on_unimplemented(
    message = "`{Self}` always says something, so `first` and `last` cannot tell which hook did",
    label = "not a type that may say nothing",
    note = "make it an `Option`; a `String`, a list, a map or a set says nothing where it is empty"
)]
pub trait Keeps: Sized {
    /// The type.
    type Type: Keeps;
    /// The value before any hook.
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

/// `joined`.
#[diagnostic::on_unimplemented(
    message = "two of `{Self}` cannot be joined",
    label = "not a list, a set, a map or text",
    note = "use `Vec`, `String`, `Contexts`, a set or a map, or an `Option` of one; or write another rule"
)]
pub trait Joins: Keeps {
    /// The type.
    type Type: Joins;
    /// Puts `later` behind it.
    fn join(&mut self, later: Self);
}

/// `intersected`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no limit to intersect",
    label = "not an `Option` of a list or a set",
    note = "write `Option<Vec<…>>` or `Option<BTreeSet<…>>`: `None` sets no limit, an empty list allows nothing"
)]
pub trait Intersects: Keeps {
    /// The type.
    type Type: Intersects;
    /// Keeps what both allow.
    fn intersect(&mut self, later: Self);
}

/// `any`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not yes or no, which `any` is for",
    label = "not a `bool`",
    note = "write another rule, such as `first`"
)]
pub trait AnyOf: Sized {
    /// `bool`.
    type Type: AnyOf;
    /// The value before any hook.
    fn nothing() -> Self;
    /// Whether a hook set it.
    fn says(&self) -> bool;
    /// Sets it where `later` does.
    fn merge(&mut self, later: Self);
}

/// `max` and `min`.
#[diagnostic::on_unimplemented(
    message = "two of `{Self}` cannot be compared by `max` and `min`",
    label = "not an `Option` of a type with `Ord`",
    note = "write `Option<u32>` for a number: `None` says nothing"
)]
pub trait Compares: Keeps {
    /// The type.
    type Type: Compares;
    /// Keeps the greater value.
    fn max(&mut self, later: Self);
    /// Keeps the smaller value.
    fn min(&mut self, later: Self);
}

/// `by`, in a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the hook that answered",
    label = "not an `Option<HookId>`",
    note = "`by` is set by the dispatch, and is none before"
)]
pub trait Names: Keeps + Attributed {
    /// The type.
    type Type: Names;
}

/// `by`, in a variant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the hook that answered",
    label = "not an `Option<HookId>`, a `Denial` or a `Question`",
    note = "`by` is set by the dispatch"
)]
pub trait Attributed {
    /// The type.
    type Type: Attributed;
    /// Sets the hook.
    fn attribute(&mut self, hook: &HookId);

    /// Who the hook answers for.
    fn attribution(&self) -> Option<&Arc<Attribution>> {
        None
    }
}

/// What the variant that refuses holds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot say that a hook could not answer",
    label = "not `From<Denial>`",
    note = "use `Denial`, or implement `From<Denial>` for a type of your own: it tells a decision of policy from a failure"
)]
pub trait Refusal {
    /// Converts.
    fn refusal(denial: Denial) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<Denial>> Refusal for T {
    fn refusal(denial: Denial) -> Self {
        denial.into()
    }
}

/// The refusal of a hook that could not answer.
#[doc(hidden)]
pub fn denial(kind: FailureKind, hook: &HookId) -> Denial {
    Denial {
        reason: Reason::from(format!("the hook `{hook}` could not answer ({kind}); this is not a decision of policy")),
        cause: Cause::CouldNotAnswer(kind),
        by: Some(hook.clone()),
        attribution: None,
    }
}

/// The semantics of a verdict that has others in it: that of a gate, where one of them is a gate's.
#[doc(hidden)]
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
