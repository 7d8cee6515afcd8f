//! Determines from a function's return type `R` whether it can decide anything, with `Probe<R, S>`: it takes the subject by
//! value as `S`, or as [`Lent`]. Works on types, not names, so aliases and shadowed names are handled.

use std::marker::PhantomData;

use crate::kind::{HookKind, Semantics};
use crate::verdict::Halt;
use crate::words::known::Probe;

/// Marker: the hook does not take the subject by value.
#[derive(Debug)]
pub enum Lent {}

/// Placeholder for a return type without a name, an `impl Trait`.
#[derive(Debug)]
pub enum Unnamed {}

/// Marker: the returned value decides nothing.
#[derive(Debug, Default)]
pub struct NoDecision;

/// Marker: the returned value can decide.
#[derive(Debug)]
pub struct SomeDecision;

/// The constants of every type without inherent ones below.
pub trait CanDecide {
    /// Whether the hook can decide.
    const DECIDES: bool = true;
    /// Whether the value can be a verdict.
    const GIVES_VERDICT: bool = true;
}

impl<R: ?Sized, S: ?Sized> CanDecide for Probe<R, S> {}

/// Answers at the type level whether a value decides: method resolution tries this trait first, and then [`Decides`].
pub trait DecidesNothing {
    /// Always [`NoDecision`]. It is an associated type, so that it stays unresolved for an unknown return type, such as
    /// that of a missing function; the compiler then reports nothing more.
    type Decision: Default;
    /// Returns the marker as a value.
    fn decision(&self) -> Self::Decision {
        Self::Decision::default()
    }
}

/// The answer for every other value.
pub trait Decides {
    /// Returns the marker as a value.
    fn decision(&self) -> SomeDecision {
        SomeDecision
    }
}

impl<R: ?Sized, S: ?Sized> Decides for &Probe<R, S> {}

macro_rules! decides_nothing {
    ($([$($any:ident),*] $returned:ty, $subject:ty;)*) => {
        $(impl<$($any),*> Probe<$returned, $subject> {
            /// This type decides nothing.
            pub const DECIDES: bool = false;
            /// This type decides nothing.
            pub const GIVES_VERDICT: bool = false;
        }

        impl<$($any),*> DecidesNothing for Probe<$returned, $subject> {
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
        $(impl<$($any),*> Probe<$returned, $subject> {
            /// A halt ends the turn and is not a verdict.
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

/// Whether a fallback at `K` must decide if its hook returns a verdict: a gate that fails must not stay open.
pub const fn requires_decision<K: HookKind>(gives_verdict: bool) -> bool {
    gives_verdict && matches!(K::SEMANTICS, Semantics::Gate)
}

/// Whether a fallback at `K` must decide, at the type level. Not a parameter of `FallbackOf`: the compiler would show its
/// implementation for other values.
#[derive(Debug)]
pub struct RequireDecision<K, const REQUIRED: bool>(PhantomData<K>);

impl<K> RequireDecision<K, false> {
    /// Accepts any type.
    pub fn of<T>(_: T) -> SomeDecision {
        SomeDecision
    }
}

impl<K> RequireDecision<K, true> {
    /// Requires [`SomeDecision`], which [`FallbackOf`] checks.
    pub fn of<T>(decision: T) -> T {
        decision
    }
}

/// Marker: the error of the hook is a [`Halt`].
#[derive(Debug)]
pub struct HaltError;

/// Marker: the hook has no error, or one that only means that it failed.
#[derive(Debug)]
pub struct PlainError;

/// Answers at the type level whether an error is a [`Halt`]: method resolution tries this trait first, and then
/// [`FailsPlainly`].
pub trait FailsByHalt {
    /// Returns the marker as a value.
    fn error(&self) -> HaltError {
        HaltError
    }
}

impl<R, S: ?Sized> FailsByHalt for Probe<Result<R, Halt>, S> {}

/// The answer for every other value.
pub trait FailsPlainly {
    /// Returns the marker as a value.
    fn error(&self) -> PlainError {
        PlainError
    }
}

impl<R, S: ?Sized> FailsPlainly for &Probe<R, S> {}
