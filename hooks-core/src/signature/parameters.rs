//! Determines what parameters are by their types.

use std::marker::PhantomData;

use super::{ContextParameter, ReadParameter};
use crate::context::state::StateSpec;
use crate::context::{HookContext, Parameters, State, With, WithSpec};

/// The parameter `&T` of a hook whose subject is `S`. [`AnyParameter`] provides the constants that a type does not
/// define.
#[derive(Debug)]
pub struct Parameter<T: ?Sized, S: ?Sized = ()>(PhantomData<fn() -> PhantomData<T>>, PhantomData<S>);

/// What a set must provide for a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// Nothing: every dispatch has it.
    Nothing,
    /// The context, with the name of the hook's plugin.
    Context,
    /// Parameters from the list that names the hook.
    With(WithSpec),
    /// State of the app.
    State(StateSpec),
}

impl<T: Send + Sync + 'static> Parameter<State<T>> {
    /// What the parameter needs.
    pub const NEED: Need = Need::State(StateSpec::of::<T>());
}

impl<T: Parameters> Parameter<With<T>> {
    /// What the parameter needs.
    pub const NEED: Need = Need::With(WithSpec::of::<T>());
}

impl Parameter<HookContext> {
    /// What the parameter needs.
    pub const NEED: Need = Need::Context;
}

impl<X: ?Sized> Parameter<X, X> {
    /// Whether it is the subject.
    pub const SUBJECT: bool = true;
}

/// The default constants of all types.
pub trait AnyParameter {
    /// The parameter needs nothing.
    const NEED: Need = Need::Nothing;
    /// The parameter is not the subject.
    const SUBJECT: bool = false;
}

impl<T: ?Sized, S: ?Sized> AnyParameter for Parameter<T, S> {}

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

#[diagnostic::do_not_recommend]
impl<'a, K, S, T: Send + Sync + 'static> ReadParameter<'a, K, S, State<T>> for &'a State<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K, _subject: &'a S) -> Self {
        state(cx)
    }

    fn read_detached(cx: &'a HookContext, _event: &'a K, _subject: Option<&'a S>) -> Self {
        state(cx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, K, T: Send + Sync + 'static> ContextParameter<'a, K, State<T>> for &'a State<T> {
    #[inline]
    fn read(cx: &'a HookContext, _event: &'a K) -> Self {
        state(cx)
    }
}

#[allow(clippy::panic)] // the panic is this hook's failure
fn state<T: Send + Sync + 'static>(cx: &HookContext) -> &State<T> {
    cx.app_state().unwrap_or_else(|missing| panic!("{missing}"))
}
