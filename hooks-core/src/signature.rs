//! What a hook may take and return: the traits that the compiler names if a signature does not fit its kind.
//!
//! Generated code uses these traits, so that error messages use the kind's terms and point to the user's token. Nobody
//! implements them, and their items may change in any version. `M` and `Via` are markers that inference finds: the form
//! of the returned type, such as `Result<M, ()>`, or of the parameter. Inference finds the other types from the
//! arguments, so that generated code does not name them at a token where a wrong one would be reported twice.

pub(crate) mod checks;
pub(crate) mod decision;
mod detached;
mod fallback;
mod group;
pub(crate) mod markers;
pub(crate) mod parameters;

use std::convert::Infallible;
use std::error::Error;

use decision::{HaltError, PlainError};
pub use detached::ReturnsDetached;
pub use fallback::{FallbackFunction, FallbackFuture, FallbackOf, FallbackParameters, FallbackTakes};
pub use group::{GroupEntry, HookGroup};

// Messages of the compiler show these under this path.
#[doc(hidden)]
pub use self::{
    decision::NoDecision,
    markers::{Of, ViaEvent, ViaInto, ViaSubject},
};
use crate::context::HookContext;
use crate::handler::{Answer, Effect, Fault};
use crate::kind::{Allowed, HookKind, InTurn};
use crate::verdict::Halt;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A parameter that reads: `&HookContext`, the event, or the subject.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` cannot take `{Self}`",
    label = "not a parameter of this kind",
    note = "it may take `&HookContext`, `&{K}` (the event), `&With<T>` (parameters from a list, where `T: serde::Deserialize`), `&State<T>` (state of the app, such as a client, where `T: Send + Sync`), and the subject as `&{S}`, `&mut {S}` or by value"
)]
pub trait ReadParameter<'a, K, S, Via> {
    /// Extracts the parameter from the inputs of a dispatch. A detached hook has the subject only if it takes it.
    fn read(cx: &'a HookContext, event: &'a K, subject: Option<&'a S>) -> Self;
}

/// A parameter that reads, in a hook that takes the subject by value or as `&mut`: `&HookContext` or the event.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` that rewrites its subject cannot also take `{Self}`",
    label = "not a parameter of a hook that rewrites",
    note = "in addition to the subject it may take `&HookContext`, `&{K}` (the event), `&With<T>` (parameters from a list, where `T: serde::Deserialize`) and `&State<T>` (state of the app, such as a client, where `T: Send + Sync`); it can take the subject only once"
)]
pub trait ContextParameter<'a, K, Via> {
    /// Extracts the parameter from the inputs of a dispatch.
    fn read(cx: &'a HookContext, event: &'a K) -> Self;
}

/// The parameter that rewrites: the subject by value or as `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the subject of a hook at `{K}`",
    label = "the subject is `{S}`",
    note = "a parameter by value or `&mut` must be the subject; take everything else by `&`, and state of the app, such as a client, as `&State<T>`"
)]
pub trait SubjectParameter<K, S>: Sized {
    /// Passes the subject by value. The event only tells inference the kind.
    fn pass(event: &K, subject: S) -> Self;
    /// Passes the subject by mutable reference.
    fn lend<'s>(event: &K, subject: &'s mut S) -> &'s mut Self;
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

/// The return type of a hook that does not take the subject by value.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` cannot return `{Self}`",
    label = "expected `()` or a type that converts into `{V}`",
    note = "it may also return a `Result` of one of them, or a `Halt` at a kind that fires within a turn; a hook that takes the subject by value also returns it"
)]
pub trait ReturnsVerdict<K, V, M>: Sized {
    /// The error of a `Result`. [`Fails`] checks it, with a message of its own.
    type Error;
    /// Converts the returned value into an answer for the dispatch.
    ///
    /// # Errors
    /// The hook's own error.
    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, Self::Error>;

    /// Whether the type can carry a decision.
    fn decides() -> bool {
        true
    }
}

/// Whether `T` is `()`. Compares names, which are unique for `()`, because `TypeId` would require `'static`.
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
        Ok(Err(Fault::halt(returned)))
    }
}

#[diagnostic::do_not_recommend]
impl<K, V, M, T: ReturnsVerdict<K, V, M, Error = Infallible>, E> ReturnsVerdict<K, V, Result<M, ()>> for Result<T, E> {
    type Error = E;

    #[inline]
    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, E> {
        let Ok(answer) = T::verdict(of, returned?);
        Ok(answer)
    }

    fn decides() -> bool {
        T::decides()
    }
}

/// The return type of a hook that takes the subject by value.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` that takes its subject by value cannot return `{Self}`",
    label = "expected `{S}` or `({S}, {V})`, or a `Result` of one of them",
    note = "it may also return `Option<{S}>` if the kind is `removable`, and `({S}, Halt)` if the kind fires within a turn"
)]
pub trait ReturnsSubject<K, S, V, M>: Sized {
    /// The error of a `Result`.
    type Error;
    /// Converts the returned value into an answer for the dispatch.
    ///
    /// # Errors
    /// The hook's own error.
    fn effect(of: Of<K, (S, V)>, returned: Self) -> Result<Answer<Effect<S, V>>, Self::Error>;

    /// Whether the type can carry a decision in addition to the subject.
    fn decides() -> bool;
}

/// What such a hook may return, each type with whether it can carry a decision, and with the answer that it stands for.
macro_rules! returns_subject {
    ($([$($generics:tt)*] $ty:ty as $via:ty: $decides:expr, |$returned:pat_param| $answer:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ReturnsSubject<K, S, V, $via> for $ty {
            type Error = Infallible;

            #[inline]
            fn effect(_of: Of<K, (S, V)>, $returned: Self) -> Result<Answer<Effect<S, V>>, Infallible> {
                Ok($answer)
            }

            fn decides() -> bool {
                $decides
            }
        }
    )*};
}

returns_subject! {
    [K: HookKind<Subject = S>, S, V: From<()>] S as ViaSubject:
        false, |subject| Ok(Effect { subject: Some(subject), verdict: ().into() });
    [K: HookKind<Removal = Allowed>, S, V: From<()>] Option<S> as Option<ViaSubject>:
        false, |subject| Ok(Effect { subject, verdict: ().into() });
    [K, S, V, T: Into<V>] (S, T) as (ViaSubject, ViaInto):
        !is_unit::<T>(), |(subject, verdict)| Ok(Effect { subject: Some(subject), verdict: verdict.into() });
    [K: InTurn, S: Send + 'static, V] (S, Halt) as (ViaSubject, Halt):
        true, |(subject, halt)| Err(Fault::halt_and_replace(halt, subject));
    [K: InTurn, S: Send + 'static, V: From<()>] (S, Option<Halt>) as (ViaSubject, Option<Halt>):
        true, |(subject, halt)| match halt {
            None => Ok(Effect { subject: Some(subject), verdict: ().into() }),
            Some(halt) => Err(Fault::halt_and_replace(halt, subject)),
        };
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

/// The error type of a hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a hook",
    label = "not an error",
    note = "implement `std::error::Error` for it, or use a type that converts into `Box<dyn Error + Send + Sync>`, such as `String`; a boxed error must be `Send + Sync`, and a verdict is returned as `Ok`"
)]
pub trait Fails: Sized {
    /// Converts the answer of a hook that may have failed with this error.
    ///
    /// # Errors
    /// The failure of the hook.
    fn settle<T>(answer: Result<Answer<T>, Self>) -> Answer<T>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Fails for E {
    #[inline]
    fn settle<T>(answer: Result<Answer<T>, Self>) -> Answer<T> {
        answer.unwrap_or_else(|error| Err(Fault::from_error(error.into())))
    }
}

/// The error of a hook at `K`: a [`Halt`] needs a turn to end.
#[diagnostic::on_unimplemented(
    message = "the error of a hook at `{K}` cannot be a `Halt`",
    label = "there is no turn to end",
    note = "outside a turn, a `Halt` would only be a failure of the hook; return another error"
)]
pub trait ErrorAt<K>: Sized {
    /// Requires the bound at the return type.
    #[inline]
    fn fits(self) {}
}

#[diagnostic::do_not_recommend]
impl<K> ErrorAt<K> for PlainError {}

#[diagnostic::do_not_recommend]
impl<K: InTurn> ErrorAt<K> for HaltError {}

/// The error of a hook that the turn does not wait for.
#[diagnostic::on_unimplemented(
    message = "the error of a detached or background hook cannot be a `Halt`",
    label = "the turn does not wait for this hook, so it cannot end the turn",
    note = "return another error, or remove `run`"
)]
pub trait DetachedError: Sized {
    /// Requires the bound at the return type.
    #[inline]
    fn fits(self) {}
}

#[diagnostic::do_not_recommend]
impl DetachedError for PlainError {}
