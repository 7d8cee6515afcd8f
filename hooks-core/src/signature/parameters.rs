//! What parameters are, by their types.

use std::marker::PhantomData;

use super::{ContextParameter, ReadParameter};
use crate::context::{HookContext, Parameters, With, WithSpec};

/// The parameter `&T` of a hook whose subject is `S`. What a type has no constant for, [`AnyParameter`] answers.
#[derive(Debug)]
pub struct Parameter<T: ?Sized, S: ?Sized = ()>(PhantomData<fn() -> PhantomData<T>>, PhantomData<S>);

impl<T: Parameters> Parameter<With<T>> {
    /// How a list gives it.
    pub const SPEC: Option<WithSpec> = Some(WithSpec::of::<T>());
}

impl Parameter<HookContext> {
    /// It is the context.
    pub const CONTEXT: bool = true;
}

impl<X: ?Sized> Parameter<X, X> {
    /// It is the subject.
    pub const SUBJECT: bool = true;
}

/// The constants of every other type.
pub trait AnyParameter {
    /// No list gives it.
    const SPEC: Option<WithSpec> = None;
    /// It is not the context.
    const CONTEXT: bool = false;
    /// It is not the subject.
    const SUBJECT: bool = false;
}

impl<T: ?Sized, S: ?Sized> AnyParameter for Parameter<T, S> {}

/// The first of a hook's parameters that a list gives; that there is but one was checked at its token.
pub const fn first(specs: &[Option<WithSpec>]) -> Option<WithSpec> {
    let mut i = 0;
    while i < specs.len() {
        if specs[i].is_some() {
            return specs[i];
        }
        i += 1;
    }
    None
}

/// Whether one of them is true.
pub const fn any(all: &[bool]) -> bool {
    let mut i = 0;
    while i < all.len() {
        if all[i] {
            return true;
        }
        i += 1;
    }
    false
}

#[diagnostic::do_not_recommend]
impl<'a, K, S, T: Parameters> ReadParameter<'a, K, S, With<T>> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        taken(cx)
    }

    fn read_detached(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        taken(cx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, T: Parameters> ContextParameter<'a, K, With<T>> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        taken(cx)
    }
}

#[allow(clippy::panic)] // every set binds them before it calls; if one did not, that would be this hook's failure
fn taken<T: Parameters>(cx: &HookContext) -> &With<T> {
    match cx.with() {
        Some(parameters) => parameters,
        None => panic!("no list gave this hook its parameters"),
    }
}
