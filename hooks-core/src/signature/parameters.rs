//! Determines what parameters are by their types.

use super::markers::{ViaEvent, ViaSubject};
use super::{ContextParameter, ReadParameter};
use crate::context::state::TypeSpec;
use crate::context::{HookContext, Parameters, State, With, WithSpec};
use crate::words::known::Probe;

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
    State(TypeSpec),
}

impl<T: Send + Sync + 'static> Probe<State<T>> {
    /// What the parameter needs.
    pub const NEED: Need = Need::State(TypeSpec::of::<T>());
}

impl<T: Parameters> Probe<With<T>> {
    /// What the parameter needs.
    pub const NEED: Need = Need::With(WithSpec::of::<T>());
}

impl Probe<HookContext> {
    /// What the parameter needs.
    pub const NEED: Need = Need::Context;
}

impl<X: ?Sized> Probe<X, X> {
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

impl<T: ?Sized, S: ?Sized> AnyParameter for Probe<T, S> {}

/// What every hook may take by `&`, also one that rewrites its subject.
macro_rules! readable {
    ($([$($generics:tt)*] $ty:ty as $via:ty: |$cx:pat_param, $event:pat_param| $read:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, K, S $($generics)*> ReadParameter<'a, K, S, $via> for &'a $ty {
            #[inline]
            fn read($cx: &'a HookContext, $event: &'a K, _subject: Option<&'a S>) -> Self {
                $read
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, K $($generics)*> ContextParameter<'a, K, $via> for &'a $ty {
            #[inline]
            fn read($cx: &'a HookContext, $event: &'a K) -> Self {
                $read
            }
        }
    )*};
}

readable! {
    [] HookContext as HookContext: |cx, _event| cx;
    [] K as ViaEvent: |_cx, event| event;
    [, T: Parameters] With<T> as With<T>: |cx, _event| bound(cx);
    [, T: Send + Sync + 'static] State<T> as State<T>: |cx, _event| state(cx);
}

#[diagnostic::do_not_recommend]
impl<'a, K, S> ReadParameter<'a, K, S, ViaSubject> for &'a S {
    #[inline]
    #[allow(clippy::panic)] // see below
    fn read(_cx: &'a HookContext, _event: &'a K, subject: Option<&'a S>) -> Self {
        // The caller keeps the subject of a hook that takes it. Otherwise this panic is that hook's failure.
        subject.unwrap_or_else(|| panic!("the subject of this detached hook was not kept; this is a bug in hook-sdk"))
    }
}

#[allow(clippy::panic)] // every set binds them before the call; otherwise the panic is this hook's failure
fn bound<T: Parameters>(cx: &HookContext) -> &With<T> {
    cx.with().unwrap_or_else(|| panic!("this hook was called without its parameters; this is a bug in hook-sdk"))
}

#[allow(clippy::panic)] // the panic is this hook's failure
fn state<T: Send + Sync + 'static>(cx: &HookContext) -> &State<T> {
    cx.app_state().unwrap_or_else(|missing| panic!("{missing}"))
}
