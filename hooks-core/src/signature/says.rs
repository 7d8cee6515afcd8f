//! Whether what a function returns can say anything, by its type: an alias is what it stands for, and a type with a
//! familiar name is what it is.

use std::fmt;
use std::marker::PhantomData;

use crate::kind::{HookKind, Semantics};
use crate::verdict::Halt;

/// What a function returns, `R`, and how it takes the subject: as `S` by value, or as [`Lent`].
pub struct Says<R: ?Sized, S: ?Sized>(PhantomData<R>, PhantomData<S>);

/// Marks a hook that does not take the subject by value.
#[derive(Debug)]
pub enum Lent {}

/// Stands for a return type that has no name, an `impl Trait`.
#[derive(Debug)]
pub enum Unnamed {}

/// What is returned says nothing.
#[derive(Debug, Default)]
pub struct Nothing;

/// What is returned can say something.
#[derive(Debug)]
pub struct Something;

impl<R: ?Sized, S: ?Sized> fmt::Debug for Says<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Says")
    }
}

impl<R, S: ?Sized> Says<R, S> {
    /// Asks the type of a value.
    pub const fn of(_: &R) -> Self {
        Self(PhantomData, PhantomData)
    }
}

/// The answer of every type that none of the constants below are of.
pub trait SaysSomething {
    /// It can say something, and so the hook may decide.
    const DECIDES: bool = true;
    /// It can be a verdict.
    const JUDGES: bool = true;
}

impl<R: ?Sized, S: ?Sized> SaysSomething for Says<R, S> {}

/// What a value says, as a type: method resolution tries this one first, and [`ByAnything`] where it is not there.
pub trait BySilence {
    /// Always [`Nothing`]. An associated type, so that it stays open for a return type that is not known, as of a function
    /// that is not there: of that, the compiler says nothing more.
    type Said: Default;
    /// What it says.
    fn said(&self) -> Self::Said {
        Self::Said::default()
    }
}

/// What every other value says.
pub trait ByAnything {
    /// Something.
    fn said(&self) -> Something {
        Something
    }
}

impl<R: ?Sized, S: ?Sized> ByAnything for &Says<R, S> {}

macro_rules! says_nothing {
    ($([$($any:ident),*] $returned:ty, $subject:ty;)*) => {
        $(impl<$($any),*> Says<$returned, $subject> {
            /// There is nothing to say.
            pub const DECIDES: bool = false;
            /// There is nothing to say.
            pub const JUDGES: bool = false;
        }

        impl<$($any),*> BySilence for Says<$returned, $subject> {
            type Said = Nothing;
        })*
    };
}

says_nothing! {
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
        $(impl<$($any),*> Says<$returned, $subject> {
            /// It ends the turn, and gives no verdict.
            pub const JUDGES: bool = false;
        })*
    };
}

only_halts! {
    [] Halt, Lent;
    [E] Result<Halt, E>, Lent;
    [S] (S, Halt), S;
    [S, E] Result<(S, Halt), E>, S;
}

/// Whether a fallback of a hook at `K` has to judge, where the hook itself `judges`: a gate that fails must not stay open.
pub const fn must_judge<K: HookKind>(judges: bool) -> bool {
    judges && matches!(K::SEMANTICS, Semantics::Gate)
}

/// Whether a fallback of a hook at `K` has to judge, as a type.
#[derive(Debug)]
pub struct Must<K, const JUDGE: bool>(PhantomData<K>);

impl<K> Must<K, false> {
    /// It need not.
    pub fn hear<T>(_: T) -> Something {
        Something
    }
}

impl<K> Must<K, true> {
    /// What it said is what counts.
    pub fn hear<T>(said: T) -> T {
        said
    }
}

/// What a fallback may say in the place of a hook at `K`.
#[diagnostic::on_unimplemented(
    message = "the fallback of a hook that judges at `{K}` has to judge too",
    label = "says nothing, so a guard that fails would let everything pass",
    note = "return a verdict as the hook does, or leave `fallback` out: `on_failure` says what a failure comes to"
)]
pub trait FallbackOf<K>: Sized {
    /// Nothing: it is asked for where a fallback that says nothing is to be told.
    fn fits(self) {}
}

impl<K> FallbackOf<K> for Something {}
