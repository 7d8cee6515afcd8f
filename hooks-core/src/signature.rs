//! What a hook may take and return: the traits that the compiler names where a signature does not fit its kind.
//!
//! Generated code goes through them, so that the message is in words of the kind, on the user's own token. Nobody implements
//! them, and their items may change in any version. `M` and `Via` are markers that inference finds: the form of the returned
//! type, such as `Result<M, ()>`, or of the parameter. The other types it learns from the arguments, so that generated code
//! names none of them at a token where a wrong one would be reported again.

#[doc(hidden)]
pub mod checks;
#[doc(hidden)]
mod decision;
mod detached;
#[doc(hidden)]
mod parameters;

use std::convert::Infallible;
use std::error::Error;
use std::marker::PhantomData;

#[doc(hidden)]
pub use decision::{
    CanDecide, Decides, DecidesNothing, Lent, NoDecision, RequireDecision, Returned, SomeDecision, Unnamed,
    requires_decision,
};
pub use detached::ReturnsDetached;
#[doc(hidden)]
pub use parameters::{AnyParameter, Parameter, any, first};

use crate::context::HookContext;
use crate::handler::{Answer, Effect, Fault};
use crate::kind::{HookKind, Removable};
use crate::verdict::Halt;

type BoxError = Box<dyn Error + Send + Sync>;

/// A parameter that reads: `&HookContext`, the event, or the subject.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` cannot take `{Self}`",
    label = "not a parameter of this kind",
    note = "it may take `&HookContext`, `&{K}` (the event), `&With<T>` (parameters from a list, where `T` is `serde::Deserialize`) and `&{S}` (the subject), the subject also by value or as `&mut {S}`; what the app holds, such as a client, comes from the context: `cx.state::<T>()`"
)]
pub trait ReadParameter<'a, K, S, Via> {
    /// Takes the parameter from what a dispatch has.
    fn read(cx: &'a HookContext, event: &'a K, subject: &'a S) -> Self;
    /// As `read`, for a detached hook, which has the subject only if it takes it.
    fn read_detached(cx: &'a HookContext, event: &'a K, subject: Option<&'a S>) -> Self;
}

/// A parameter that reads, in a hook with another one that takes the subject: `&HookContext` or the event.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` that rewrites its subject cannot also take `{Self}`",
    label = "not a parameter of a hook that rewrites",
    note = "with the subject it may take `&HookContext`, `&{K}` (the event) and `&With<T>` (parameters from a list, where `T` is `serde::Deserialize`); the subject itself only once; what the app holds, such as a client, comes from the context: `cx.state::<T>()`"
)]
pub trait ContextParameter<'a, K, Via> {
    /// Takes the parameter from what a dispatch has.
    fn read(cx: &'a HookContext, event: &'a K) -> Self;
}

/// The parameter that rewrites: the subject by value or as `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the subject of a hook at `{K}`",
    label = "the subject is `{S}`",
    note = "a parameter by value or `&mut` is the subject to rewrite; take everything else as `&`, and what the app holds, such as a client, from the context: `cx.state::<T>()`"
)]
pub trait SubjectParameter<K, S>: Sized {
    /// The subject by value. The event only says which kind it is, as inference finds it nowhere else.
    fn pass(event: &K, subject: S) -> Self;
    /// The subject in place.
    fn lend<'s>(event: &K, subject: &'s mut S) -> &'s mut Self;
}

/// A kind and what its hooks return, without a value: inference learns both from it before it looks for a conversion.
#[doc(hidden)]
#[derive(Debug)]
pub struct Of<K, R>(PhantomData<fn() -> (K, R)>);

impl<K, R> Of<K, R> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// Marks the event.
#[doc(hidden)]
#[derive(Debug)]
pub enum ViaEvent {}
/// Marks the subject.
#[doc(hidden)]
#[derive(Debug)]
pub enum ViaSubject {}
/// Marks a conversion into the verdict.
#[doc(hidden)]
#[derive(Debug)]
pub enum ViaInto {}

#[diagnostic::do_not_recommend]
impl<'a, K, S> ReadParameter<'a, K, S, HookContext> for &'a HookContext {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        cx
    }

    fn read_detached(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        cx
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> ReadParameter<'a, K, S, ViaEvent> for &'a K {
    #[inline]
    fn read(_cx: &'a HookContext, event: &'a K, _subject: &'a S) -> Self {
        event
    }

    fn read_detached(_cx: &'a HookContext, event: &'a K, _subject: Option<&'a S>) -> Self {
        event
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> ReadParameter<'a, K, S, ViaSubject> for &'a S {
    #[inline]
    fn read(_cx: &'a HookContext, _event: &'a K, subject: &'a S) -> Self {
        subject
    }

    #[allow(clippy::panic)] // see below
    fn read_detached(_cx: &'a HookContext, _event: &'a K, subject: Option<&'a S>) -> Self {
        match subject {
            Some(subject) => subject,
            // Whoever calls keeps the subject of a hook that takes it; if not, that would be this hook's failure.
            None => panic!("the subject was not kept for this hook"),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K> ContextParameter<'a, K, HookContext> for &'a HookContext {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        cx
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K> ContextParameter<'a, K, ViaEvent> for &'a K {
    #[inline]
    fn read(_cx: &'a HookContext, event: &'a K) -> Self {
        event
    }
}

#[diagnostic::do_not_recommend]
impl<K, S> SubjectParameter<K, S> for S {
    #[inline]
    fn pass(_event: &K, subject: S) -> Self {
        subject
    }

    #[inline]
    fn lend<'s>(_event: &K, subject: &'s mut S) -> &'s mut Self {
        subject
    }
}

/// What a hook may return that did not take the subject by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a hook at `{K}` returns",
    label = "expected `()` or something that converts into `{V}`",
    note = "it may also be a `Result` of one of them, or a `Halt` in a kind of a turn; a hook that takes the subject by value returns that too"
)]
pub trait ReturnsVerdict<K, V, M>: Sized {
    /// The error of a `Result`. [`Fails`] checks it, with a message of its own.
    type Error;
    /// The answer in the form that a dispatch reads.
    #[doc(hidden)]
    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, Self::Error>;

    /// Whether the type can decide.
    #[doc(hidden)]
    fn decides() -> bool;
}

/// Whether `T` is `()`. By its name, which no other type has: a `TypeId` would ask `'static` of what hooks return.
fn is_unit<T>() -> bool {
    std::any::type_name::<T>() == std::any::type_name::<()>()
}

#[diagnostic::do_not_recommend]
impl<K, V, T: Into<V>> ReturnsVerdict<K, V, ViaInto> for T {
    type Error = Infallible;

    #[inline]
    fn verdict(_of: Of<K, V>, returned: Self) -> Result<Answer<V>, Infallible> {
        Ok(Ok(returned.into()))
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, V> ReturnsVerdict<K, V, Halt> for Halt {
    type Error = Infallible;

    #[inline]
    fn verdict(_of: Of<K, V>, returned: Self) -> Result<Answer<V>, Infallible> {
        Ok(Err(Fault::halt_and_keep(returned)))
    }

    fn decides() -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<K, V, T: Into<V>, E> ReturnsVerdict<K, V, Result<ViaInto, ()>> for Result<T, E> {
    type Error = E;

    #[inline]
    fn verdict(_of: Of<K, V>, returned: Self) -> Result<Answer<V>, E> {
        returned.map(|said| Ok(said.into()))
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, V, E> ReturnsVerdict<K, V, Result<Halt, ()>> for Result<Halt, E> {
    type Error = E;

    #[inline]
    fn verdict(_of: Of<K, V>, returned: Self) -> Result<Answer<V>, E> {
        returned.map(|halt| Err(Fault::halt_and_keep(halt)))
    }

    fn decides() -> bool {
        true
    }
}

/// What a hook may return that took the subject by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a hook at `{K}` returns that takes its subject by value",
    label = "expected `{S}` or `({S}, {V})`, or a `Result` of one of them",
    note = "a kind that is `removable` also takes `Option<{S}>`, and one of a turn `({S}, Halt)`"
)]
pub trait ReturnsSubject<K, S, V, M>: Sized {
    /// The error of a `Result`.
    type Error;
    /// The answer in the form that a dispatch reads.
    #[doc(hidden)]
    fn effect(of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Self::Error>;

    /// Whether the type can say more than what the subject becomes.
    #[doc(hidden)]
    fn decides() -> bool {
        false
    }
}

#[diagnostic::do_not_recommend]
impl<K: HookKind<Subject = S>, S, V: From<()>> ReturnsSubject<K, S, V, ViaSubject> for S {
    type Error = Infallible;

    #[inline]
    fn effect(_of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
        Ok(Ok(Effect { subject: Some(returned), verdict: ().into() }))
    }
}

#[diagnostic::do_not_recommend]
impl<K, S, V, T: Into<V>> ReturnsSubject<K, S, V, (ViaSubject, ViaInto)> for (S, T) {
    type Error = Infallible;

    #[inline]
    fn effect(_of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
        Ok(Ok(Effect { subject: Some(returned.0), verdict: returned.1.into() }))
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, S: Send + 'static, V> ReturnsSubject<K, S, V, (ViaSubject, Halt)> for (S, Halt) {
    type Error = Infallible;

    #[inline]
    fn effect(_of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
        Ok(Err(Fault::halt_and_replace(returned.1, returned.0)))
    }

    fn decides() -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, S: Send + 'static, V: From<()>> ReturnsSubject<K, S, V, (ViaSubject, Option<Halt>)>
    for (S, Option<Halt>)
{
    type Error = Infallible;

    #[inline]
    fn effect(_of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
        match returned {
            (subject, None) => Ok(Ok(Effect { subject: Some(subject), verdict: ().into() })),
            (subject, Some(halt)) => Ok(Err(Fault::halt_and_replace(halt, subject))),
        }
    }

    fn decides() -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<K: Removable, S, V: From<()>> ReturnsSubject<K, S, V, Option<ViaSubject>> for Option<S> {
    type Error = Infallible;

    #[inline]
    fn effect(_of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
        Ok(Ok(Effect { subject: returned, verdict: ().into() }))
    }
}

#[diagnostic::do_not_recommend]
impl<K, S, V, M, T, E> ReturnsSubject<K, S, V, Result<M, ()>> for Result<T, E>
where
    T: ReturnsSubject<K, S, V, M, Error = Infallible>,
{
    type Error = E;

    #[inline]
    fn effect(of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, E> {
        let Ok(effect) = T::effect(of, returned?);
        Ok(effect)
    }

    fn decides() -> bool {
        T::decides()
    }
}

/// The error of a hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a hook",
    label = "not an error",
    note = "implement `std::error::Error` for it, or use one that converts into `Box<dyn Error + Send + Sync>`, as `String` does; a boxed error is `Box<dyn Error + Send + Sync>`, and a verdict is returned as `Ok`"
)]
pub trait Fails: Sized {
    /// The answer of a hook that may have failed with this.
    #[doc(hidden)]
    fn settle<T>(answer: Result<Answer<T>, Self>) -> Answer<T>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Fails for E {
    #[inline]
    fn settle<T>(answer: Result<Answer<T>, Self>) -> Answer<T> {
        answer.unwrap_or_else(|error| Err(Fault::from_error(error.into())))
    }
}

/// A kind that fires within a turn, which a hook may therefore end with a [`Halt`].
pub trait InTurn: HookKind {}

/// What a fallback may return in the place of a hook at `K`.
#[diagnostic::on_unimplemented(
    message = "the fallback of a hook that judges at `{K}` has to judge too",
    label = "returns no verdict, so a guard that fails would let everything pass",
    note = "return a verdict as the hook does, or leave `fallback` out: `on_failure` says what a failure comes to"
)]
pub trait FallbackOf<K>: Sized {
    /// Asks for the bound, at the place where a fallback that decides nothing is reported.
    fn fits(self) {}
}

#[diagnostic::do_not_recommend]
impl<K> FallbackOf<K> for SomeDecision {}
