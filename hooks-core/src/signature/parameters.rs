//! Determines what parameters are by their types.

use std::marker::PhantomData;

use super::{ContextParameter, ReadParameter};
use crate::context::{HookContext, Parameters, With, WithSpec};

/// The parameter `&T` of a hook whose subject is `S`. [`AnyParameter`] provides the constants that a type does not
/// define.
#[derive(Debug)]
pub struct Parameter<T: ?Sized, S: ?Sized = ()>(PhantomData<fn() -> PhantomData<T>>, PhantomData<S>);

impl<T: Parameters> Parameter<With<T>> {
    /// Parses the parameter from a list.
    pub const SPEC: Option<WithSpec> = Some(WithSpec::of::<T>());
}

impl Parameter<HookContext> {
    /// Whether it is the context.
    pub const CONTEXT: bool = true;
}

impl<X: ?Sized> Parameter<X, X> {
    /// Whether it is the subject.
    pub const SUBJECT: bool = true;
}

/// The default constants of all types.
pub trait AnyParameter {
    /// The parameter does not come from a list.
    const SPEC: Option<WithSpec> = None;
    /// The parameter is not the context.
    const CONTEXT: bool = false;
    /// The parameter is not the subject.
    const SUBJECT: bool = false;
}

impl<T: ?Sized, S: ?Sized> AnyParameter for Parameter<T, S> {}

/// The hook's parameter from a list. That there is only one was checked at its token.
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

/// Whether one of the values is true.
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
        bound(cx)
    }

    fn read_detached(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        bound(cx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, T: Parameters> ContextParameter<'a, K, With<T>> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        bound(cx)
    }
}

#[allow(clippy::panic)] // every set binds them before the call; otherwise the panic is this hook's failure
fn bound<T: Parameters>(cx: &HookContext) -> &With<T> {
    match cx.with() {
        Some(parameters) => parameters,
        None => panic!("this hook was called without its parameters; this is a bug in hook-sdk"),
    }
}
