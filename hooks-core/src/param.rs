//! What a hook may take and return. Generated code goes through these traits, so that a signature that does not fit is
//! told in words of the kind, on the user's own token.
//!
//! `M` and `Via` are markers that inference finds; nobody writes them.

use std::error::Error;

use crate::HookContext;
use crate::hook::{Answer, Effect, Fault};
use crate::kind::{HookKind, Removable};
use crate::verdict::Halt;

type BoxError = Box<dyn Error + Send + Sync>;

/// A parameter that reads: `&HookContext`, the event, or the subject.
#[diagnostic::on_unimplemented(
    message = "a `{K}` hook cannot take `{Self}`",
    label = "not a parameter of this kind",
    note = "it may take `&HookContext`, `&{K}` (the event) and `&{S}` (the subject), the subject also by value or as `&mut {S}`"
)]
pub trait Read<'a, K, S, Via> {
    /// Takes the parameter from what a dispatch has.
    fn read(cx: &'a HookContext, event: &'a K, subject: &'a S) -> Self;
}

/// A parameter that reads, beside one that takes the subject: `&HookContext` or the event.
#[diagnostic::on_unimplemented(
    message = "a `{K}` hook that rewrites its subject cannot also take `{Self}`",
    label = "not a parameter beside the subject",
    note = "beside the subject it may take `&HookContext` and `&{K}` (the event); the subject itself only once"
)]
pub trait Beside<'a, K, S, Via> {
    /// Takes the parameter from what a dispatch has.
    fn read(cx: &'a HookContext, event: &'a K) -> Self;
}

/// The parameter that rewrites: the subject by value or as `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the subject of a `{K}` hook",
    label = "the subject is `{S}`",
    note = "a parameter by value or `&mut` is the subject to rewrite; take everything else as `&`"
)]
pub trait Rewrite<K, S>: Sized {
    /// The subject by value.
    fn pass(subject: S) -> Self;
    /// The subject in place.
    fn lend(subject: &mut S) -> &mut Self;
}

/// Marks the context.
#[derive(Debug)]
pub enum ViaContext {}
/// Marks the event.
#[derive(Debug)]
pub enum ViaEvent {}
/// Marks the subject.
#[derive(Debug)]
pub enum ViaSubject {}
/// Marks a conversion into the verdict.
#[derive(Debug)]
pub enum ViaInto {}
/// Marks a halt.
#[derive(Debug)]
pub enum ViaHalt {}
/// Marks a subject with a verdict.
#[derive(Debug)]
pub struct ViaPair<M>(M);
/// Marks a subject that may be removed.
#[derive(Debug)]
pub enum ViaOption {}
/// Marks a result.
#[derive(Debug)]
pub struct ViaResult<M>(M);

#[diagnostic::do_not_recommend]
impl<'a, K, S> Read<'a, K, S, ViaContext> for &'a HookContext {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        cx
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> Read<'a, K, S, ViaEvent> for &'a K {
    #[inline]
    fn read(_cx: &'a HookContext, event: &'a K, _subject: &'a S) -> Self {
        event
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> Read<'a, K, S, ViaSubject> for &'a S {
    #[inline]
    fn read(_cx: &'a HookContext, _event: &'a K, subject: &'a S) -> Self {
        subject
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> Beside<'a, K, S, ViaContext> for &'a HookContext {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        cx
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> Beside<'a, K, S, ViaEvent> for &'a K {
    #[inline]
    fn read(_cx: &'a HookContext, event: &'a K) -> Self {
        event
    }
}

#[diagnostic::do_not_recommend]
impl<K, S> Rewrite<K, S> for S {
    #[inline]
    fn pass(subject: S) -> Self {
        subject
    }

    #[inline]
    fn lend(subject: &mut S) -> &mut Self {
        subject
    }
}

/// What a hook may return that did not take the subject by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a `{K}` hook returns",
    label = "expected `()` or something that converts into `{V}`",
    note = "it may also be a `Result` of one of them, with an error that converts into `Box<dyn Error + Send + Sync>`, or a `Halt` in a kind of a turn"
)]
pub trait ReturnsVerdict<K, V, M> {
    /// The answer in the form that a dispatch reads.
    #[doc(hidden)]
    fn verdict(self) -> Answer<V>;

    /// Whether the type can say more than nothing.
    #[doc(hidden)]
    fn decides() -> bool;
}

/// Whether `T` is `()`. By its name, which no other type has: a `TypeId` would ask `'static` of what hooks return.
fn is_unit<T>() -> bool {
    std::any::type_name::<T>() == std::any::type_name::<()>()
}

#[diagnostic::do_not_recommend]
impl<K, V, T: Into<V>> ReturnsVerdict<K, V, ViaInto> for T {
    #[inline]
    fn verdict(self) -> Answer<V> {
        Ok(self.into())
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, V> ReturnsVerdict<K, V, ViaHalt> for Halt {
    #[inline]
    fn verdict(self) -> Answer<V> {
        Err(Fault::halt_and_keep(self))
    }

    fn decides() -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<K, V, T: Into<V>, E: Into<BoxError>> ReturnsVerdict<K, V, ViaResult<ViaInto>> for Result<T, E> {
    #[inline]
    fn verdict(self) -> Answer<V> {
        self.map(Into::into).map_err(|error| Fault::from_error(error.into()))
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, V, E: Into<BoxError>> ReturnsVerdict<K, V, ViaResult<ViaHalt>> for Result<Halt, E> {
    #[inline]
    fn verdict(self) -> Answer<V> {
        match self {
            Ok(halt) => Err(Fault::halt_and_keep(halt)),
            Err(error) => Err(Fault::from_error(error.into())),
        }
    }

    fn decides() -> bool {
        true
    }
}

/// What a hook may return that took the subject by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a `{K}` hook returns that takes its subject by value",
    label = "expected `{S}` or `({S}, {V})`, or a `Result` of one of them",
    note = "the error of a `Result` converts into `Box<dyn Error + Send + Sync>`; a kind that allows removal also takes `Option<{S}>`"
)]
pub trait ReturnsSubject<K, S, V, M> {
    /// The answer in the form that a dispatch reads.
    #[doc(hidden)]
    fn effect(self) -> Answer<Effect<S, V>>;

    /// Whether the type can say more than what the subject is to be.
    #[doc(hidden)]
    fn decides() -> bool {
        false
    }
}

#[diagnostic::do_not_recommend]
impl<K, S, V: From<()>> ReturnsSubject<K, S, V, ViaSubject> for S {
    #[inline]
    fn effect(self) -> Answer<Effect<S, V>> {
        Ok(Effect { subject: Some(self), verdict: ().into(), halt: None })
    }
}

#[diagnostic::do_not_recommend]
impl<K, S, V, T: Into<V>> ReturnsSubject<K, S, V, ViaPair<ViaInto>> for (S, T) {
    #[inline]
    fn effect(self) -> Answer<Effect<S, V>> {
        Ok(Effect { subject: Some(self.0), verdict: self.1.into(), halt: None })
    }

    fn decides() -> bool {
        !is_unit::<T>()
    }
}

#[diagnostic::do_not_recommend]
impl<K: InTurn, S, V: From<()>> ReturnsSubject<K, S, V, ViaPair<ViaHalt>> for (S, Halt) {
    #[inline]
    fn effect(self) -> Answer<Effect<S, V>> {
        Ok(Effect { subject: Some(self.0), verdict: ().into(), halt: Some(Box::new(self.1)) })
    }

    fn decides() -> bool {
        true
    }
}

impl<K: Removable, S, V: From<()>> ReturnsSubject<K, S, V, ViaOption> for Option<S> {
    #[inline]
    fn effect(self) -> Answer<Effect<S, V>> {
        Ok(Effect { subject: self, verdict: ().into(), halt: None })
    }
}

impl<K, S, V, M, T: ReturnsSubject<K, S, V, M>, E: Into<BoxError>> ReturnsSubject<K, S, V, ViaResult<M>>
    for Result<T, E>
{
    #[inline]
    fn effect(self) -> Answer<Effect<S, V>> {
        self.map_err(|error| Fault::from_error(error.into()))?.effect()
    }

    fn decides() -> bool {
        T::decides()
    }
}

/// A kind that fires within a turn, which a hook may therefore end with a [`Halt`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` fires outside a turn, so there is no turn to halt",
    label = "this hook cannot return a `Halt`"
)]
pub trait InTurn: HookKind {}
