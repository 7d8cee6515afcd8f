//! What a fallback must have in common with its hook.

use std::future::Future;
use std::marker::PhantomData;

use super::decision::SomeDecision;

/// The return type of a fallback for a hook at `K`.
#[diagnostic::on_unimplemented(
    message = "the fallback of a hook that returns a verdict at `{K}` must return a verdict too",
    label = "returns no verdict, so a guard that fails would let everything pass",
    note = "return a verdict like the hook does, or remove `fallback`: then `on_failure` determines what happens on failure"
)]
pub trait FallbackOf<K>: Sized {
    /// Requires the bound at the location where a fallback without a verdict is reported.
    fn fits(self) {}
}

#[diagnostic::do_not_recommend]
impl<K> FallbackOf<K> for SomeDecision {}

/// A function with as many parameters as its hook. What they are is checked where they are made.
#[diagnostic::on_unimplemented(
    message = "a fallback is a function with the parameters of its hook, but this is `{Self}`",
    label = "does not take the parameters of the hook",
    note = "write the same parameters in the same order"
)]
pub trait FallbackFunction<P, R> {
    /// Calls the function.
    fn call(self, parameters: P) -> R;
}

macro_rules! functions {
    ($(($($parameter:ident: $variable:ident),*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F, R, $($parameter),*> FallbackFunction<($($parameter,)*), R> for F
        where
            F: FnOnce($($parameter),*) -> R,
        {
            #[inline]
            fn call(self, ($($variable,)*): ($($parameter,)*)) -> R {
                self($($variable),*)
            }
        }
    )*};
}

// The context, the event, the subject, parameters from a list, and states.
functions! {
    () (A: a) (A: a, B: b) (A: a, B: b, C: c) (A: a, B: b, C: c, D: d) (A: a, B: b, C: c, D: d, E: e)
    (A: a, B: b, C: c, D: d, E: e, F2: f) (A: a, B: b, C: c, D: d, E: e, F2: f, G: g)
    (A: a, B: b, C: c, D: d, E: e, F2: f, G: g, H: h)
}

/// The types of the parameters that a fallback takes.
#[derive(Debug)]
pub struct FallbackTakes<P>(PhantomData<P>);

impl<P> FallbackTakes<P> {
    /// Its types are those of the tied parameters.
    pub const NEW: Self = Self(PhantomData);

    /// Returns the parameters of a call.
    #[inline]
    pub fn tie(&self, parameters: P) -> P {
        parameters
    }
}

/// The parameters of a fallback, whose hook takes `P`. A set provides only what the hook takes.
#[diagnostic::on_unimplemented(
    message = "a fallback takes the parameters of its hook, `{P}`, but this one takes `{Self}`",
    label = "takes other parameters than the hook",
    note = "write the same parameters in the same order"
)]
pub trait FallbackParameters<P>: Sized {
    /// Requires the bound.
    #[inline]
    fn fits(_takes: FallbackTakes<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<P> FallbackParameters<P> for P {}

/// What the fallback of an async hook returns.
#[diagnostic::on_unimplemented(
    message = "the fallback of an async hook must be an `async fn`, but this one returns `{Self}`",
    label = "not an `async fn`",
    note = "add `async` to the fallback"
)]
pub trait FallbackFuture: Sized {
    /// The future itself.
    type Type;
    /// Requires the bound.
    fn future(self) -> Self::Type;
}

#[diagnostic::do_not_recommend]
impl<F: Future> FallbackFuture for F {
    type Type = F;

    fn future(self) -> F {
        self
    }
}
