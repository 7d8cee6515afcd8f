//! Not public API. What `derive(Verdict)` merges a field with: a trait per rule, whose words tell a type that the rule is
//! not for, on the user's own token. As in `itself.rs`, each gives the type itself back, so that it is told once.

mod types;

use std::fmt;

use crate::failure::FailureKind;
use crate::id::HookId;
use crate::verdict::Cause;
use crate::verdict::Semantics;
use crate::verdict::{Denial, Reason};

/// What a verdict is beside its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lacks what every verdict has",
    label = "not `Clone + Debug + Send + Sync + 'static`",
    note = "write `#[derive(Clone, Debug, Verdict)]`, and put what cannot be sent behind an `Arc` or a lock"
)]
pub trait Complete {
    fn complete(_: &Self) {}
}

// `From<()>` comes with the derive; no reference has it, or the compiler would advise to borrow.
#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + From<()> + Send + Sync + 'static> Complete for V {}

/// The same as a bound of the implementation. By its lifetime the compiler leaves it until it is asked for, so that what is
/// missing is told by [`Complete`] alone.
pub trait Completes<'a>: Clone + fmt::Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + Send + Sync + 'static> Completes<'_> for V {}

/// `first` and `last`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` always says something, so `first` and `last` cannot tell which hook did",
    label = "not a type that may say nothing",
    note = "make it an `Option`; a `String`, a list, a map or a set says nothing where it is empty"
)]
pub trait Keeps: Sized {
    type Itself: Keeps;
    fn nothing() -> Self;
    fn says(&self) -> bool;

    fn first(&mut self, later: Self) {
        if !self.says() {
            *self = later;
        }
    }

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
pub trait Joins: Sized {
    type Itself: Joins;
    fn nothing() -> Self;
    fn says(&self) -> bool;
    fn merge(&mut self, later: Self);
}

/// `intersected`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no limit to intersect",
    label = "not an `Option` of a list or a set",
    note = "write `Option<Vec<…>>` or `Option<BTreeSet<…>>`: `None` sets no limit, an empty list allows nothing"
)]
pub trait Intersects: Sized {
    type Itself: Intersects;
    fn nothing() -> Self;
    fn says(&self) -> bool;
    fn merge(&mut self, later: Self);
}

/// `any`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not yes or no, which `any` is for",
    label = "not a `bool`",
    note = "write another rule, such as `first`"
)]
pub trait AnyOf: Sized {
    type Itself: AnyOf;
    fn nothing() -> Self;
    fn says(&self) -> bool;
    fn merge(&mut self, later: Self);
}

/// `max` and `min`.
#[diagnostic::on_unimplemented(
    message = "two of `{Self}` cannot be compared by `max` and `min`",
    label = "not an `Option` of a type with `Ord`",
    note = "write `Option<u32>` for a number: `None` says nothing"
)]
pub trait Compares: Sized {
    type Itself: Compares;
    fn nothing() -> Self;
    fn says(&self) -> bool;
    fn max(&mut self, later: Self);
    fn min(&mut self, later: Self);
}

/// `by`, in a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the hook that answered",
    label = "not an `Option<HookId>`",
    note = "`by` is set by the dispatch, and is none before"
)]
pub trait Names: Sized {
    type Itself: Names;
    fn nothing() -> Self;
    fn says(&self) -> bool;
    fn merge(&mut self, later: Self);
    fn name(&mut self, hook: &HookId);
}

/// `by`, in a variant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name the hook that answered",
    label = "not an `Option<HookId>`, a `Denial` or a `Question`",
    note = "`by` is set by the dispatch"
)]
pub trait Attributed {
    type Itself: Attributed;
    fn attribute(&mut self, hook: &HookId);
}

/// What the variant that refuses holds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot say that a hook could not answer",
    label = "not `From<Denial>`",
    note = "use `Denial`, or implement `From<Denial>` for a type of your own: it tells a decision of policy from a failure"
)]
pub trait Refusal {
    fn refusal(denial: Denial) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<Denial>> Refusal for T {
    fn refusal(denial: Denial) -> Self {
        denial.into()
    }
}

/// The refusal of a hook that could not answer.
pub fn denial(kind: FailureKind, hook: &HookId) -> Denial {
    Denial {
        reason: Reason::from(format!("the hook `{hook}` could not answer ({kind}); this is not a decision of policy")),
        cause: Cause::CouldNotAnswer(kind),
        by: Some(hook.clone()),
    }
}

/// The semantics of a verdict that has others in it: that of a gate, where one of them is a gate's.
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
