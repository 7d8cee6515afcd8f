//! Whether what a function returns can decide anything, by its type: an alias is what it stands for, and a type with a
//! familiar name is what it is.

use std::marker::PhantomData;

use crate::kind::{HookKind, Semantics};
use crate::verdict::Halt;

/// What a function returns, `R`, and how it takes the subject: as `S` by value, or as [`Lent`].
#[derive(Debug)]
pub struct Returned<R: ?Sized, S: ?Sized>(PhantomData<R>, PhantomData<S>);

/// Marks a hook that does not take the subject by value.
#[derive(Debug)]
pub enum Lent {}

/// Stands for a return type that has no name, an `impl Trait`.
#[derive(Debug)]
pub enum Unnamed {}

/// What is returned decides nothing.
#[derive(Debug, Default)]
pub struct NoDecision;

/// What is returned can decide.
#[derive(Debug)]
pub struct SomeDecision;

impl<R, S: ?Sized> Returned<R, S> {
    /// The type of a value.
    pub const fn of(_: &R) -> Self {
        Self(PhantomData, PhantomData)
    }
}

/// The constants of every type that has none of its own below.
pub trait CanDecide {
    /// Whether the hook may decide.
    const DECIDES: bool = true;
    /// Whether it can be a verdict.
    const GIVES_VERDICT: bool = true;
}

impl<R: ?Sized, S: ?Sized> CanDecide for Returned<R, S> {}

/// Whether a value decides, as a type: method resolution tries this trait first, and [`Decides`] where it does not hold.
pub trait DecidesNothing {
    /// Always [`NoDecision`]. An associated type, so that it stays open for a return type that is not known, as of a
    /// function that is not there: of that, the compiler says nothing more.
    type Decision: Default;
    /// The type as a value.
    fn decision(&self) -> Self::Decision {
        Self::Decision::default()
    }
}

/// The answer of every other value.
pub trait Decides {
    /// The type as a value.
    fn decision(&self) -> SomeDecision {
        SomeDecision
    }
}

impl<R: ?Sized, S: ?Sized> Decides for &Returned<R, S> {}

macro_rules! decides_nothing {
    ($([$($any:ident),*] $returned:ty, $subject:ty;)*) => {
        $(impl<$($any),*> Returned<$returned, $subject> {
            /// It cannot.
            pub const DECIDES: bool = false;
            /// It cannot.
            pub const GIVES_VERDICT: bool = false;
        }

        impl<$($any),*> DecidesNothing for Returned<$returned, $subject> {
            type Decision = NoDecision;
        })*
    };
}

decides_nothing! {
    [] (), Lent;
    [E] Result<(), E>, Lent;
    [S] S, S;
    [S] Option<S>, S;
    [S] (S, ()), S;
    [S, E] Result<S, E>, S;
    [S, E] Result<Option<S>, E>, S;
    [S, E] Result<(S, ()), E>, S;
}

macro_rules! only_halts {
    ($([$($any:ident),*] $returned:ty, $subject:ty;)*) => {
        $(impl<$($any),*> Returned<$returned, $subject> {
            /// It ends the turn, and gives no verdict.
            pub const GIVES_VERDICT: bool = false;
        })*
    };
}

only_halts! {
    [] Halt, Lent;
    [E] Result<Halt, E>, Lent;
    [S] (S, Halt), S;
    [S, E] Result<(S, Halt), E>, S;
}

/// Whether a fallback of a hook at `K` has to decide, where the hook itself gives a verdict: a gate that fails must not stay
/// open.
pub const fn requires_decision<K: HookKind>(gives_verdict: bool) -> bool {
    gives_verdict && matches!(K::SEMANTICS, Semantics::Gate)
}

/// Whether a fallback of a hook at `K` has to decide, as a type.
#[derive(Debug)]
pub struct RequireDecision<K, const REQUIRED: bool>(PhantomData<K>);

impl<K> RequireDecision<K, false> {
    /// Anything is right.
    pub fn of<T>(_: T) -> SomeDecision {
        SomeDecision
    }
}

impl<K> RequireDecision<K, true> {
    /// Only a [`SomeDecision`] is right, which [`FallbackOf`] checks.
    pub fn of<T>(decision: T) -> T {
        decision
    }
}
