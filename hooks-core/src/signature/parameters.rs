//! What parameters ask for, by their types.

use std::fmt;
use std::marker::PhantomData;

use super::{ContextParameter, ReadParameter};
use crate::context::{HookContext, Parameters, With, WithSpec};

/// Whether the parameter `&T` is one that a list gives, by its type: [`AsksNothing`] answers where this does not.
pub struct Asks<T: ?Sized>(PhantomData<fn() -> PhantomData<T>>);

impl<T: ?Sized> fmt::Debug for Asks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asks")
    }
}

impl<T: Parameters> Asks<With<T>> {
    /// How it is read.
    pub const SPEC: Option<WithSpec> = Some(WithSpec::of::<T>());
}

impl Asks<HookContext> {
    /// It is the context.
    pub const CONTEXT: bool = true;
}

/// The answer of every other type.
pub trait AsksNothing {
    /// Nothing is read.
    const SPEC: Option<WithSpec> = None;
    /// It is something else.
    const CONTEXT: bool = false;
}

impl<T: ?Sized> AsksNothing for Asks<T> {}

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

/// Marks parameters that a list gives.
#[derive(Debug)]
pub enum ViaWith {}

#[diagnostic::do_not_recommend]
impl<'a, K, S, T: Parameters> ReadParameter<'a, K, S, ViaWith> for &'a With<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        taken(cx)
    }

    fn read_detached(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        taken(cx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, T: Parameters> ContextParameter<'a, K, ViaWith> for &'a With<T> {
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
