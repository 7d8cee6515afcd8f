//! What a hook may take and return that nobody waits for.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;

use super::{Of, ViaInto, ViaResult};
use crate::handler::Answer;
use crate::verdict::{Contribution, Contributions};

/// What a hook may return that nobody waits for.
#[diagnostic::on_unimplemented(
    message = "a hook at `{K}` that nobody waits for cannot return `{Self}`",
    label = "expected `()` or `Result<(), E>`",
    note = "with `run = detached` or `run = background` a hook decides nothing; where the kind's verdict is `Contributions` it may return those, of which audit notes and background jobs count"
)]
pub trait ReturnsDetached<K, V, M>: Sized {
    /// The error of a `Result`.
    type Error;
    /// The answer in the form that is read when the run has ended.
    #[doc(hidden)]
    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, Self::Error>;
}

/// Marks nothing.
#[derive(Debug)]
pub enum ViaNothing {}

#[diagnostic::do_not_recommend]
impl<K, V: From<()>> ReturnsDetached<K, V, ViaNothing> for () {
    type Error = Infallible;

    fn verdict(_of: Of<K, V>, (): Self) -> Result<Answer<V>, Infallible> {
        Ok(Ok(().into()))
    }
}

#[diagnostic::do_not_recommend]
impl<K, V: From<()>, E> ReturnsDetached<K, V, ViaResult<ViaNothing>> for Result<(), E> {
    type Error = E;

    fn verdict(_of: Of<K, V>, returned: Self) -> Result<Answer<V>, E> {
        returned.map(|()| Ok(().into()))
    }
}

/// Contributions in one of their forms; not every type that converts into them, because `()` does too.
pub trait Contributed: Into<Contributions> {}

impl Contributed for Contributions {}
impl Contributed for Contribution {}
impl Contributed for Vec<Contribution> {}
impl Contributed for Option<Contribution> {}

#[diagnostic::do_not_recommend]
impl<K, T: Contributed> ReturnsDetached<K, Contributions, ViaInto> for T {
    type Error = Infallible;

    fn verdict(_of: Of<K, Contributions>, returned: Self) -> Result<Answer<Contributions>, Infallible> {
        Ok(Ok(returned.into()))
    }
}

#[diagnostic::do_not_recommend]
impl<K, T: Contributed, E> ReturnsDetached<K, Contributions, ViaResult<ViaInto>> for Result<T, E> {
    type Error = E;

    fn verdict(_of: Of<K, Contributions>, returned: Self) -> Result<Answer<Contributions>, E> {
        returned.map(|said| Ok(said.into()))
    }
}

/// Whether the parameter `&T` is the subject, by its type: [`TakesNothing`] answers where this does not.
pub struct Takes<T: ?Sized, S: ?Sized>(PhantomData<T>, PhantomData<S>);

impl<T: ?Sized, S: ?Sized> fmt::Debug for Takes<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Takes")
    }
}

impl<X: ?Sized> Takes<X, X> {
    /// It is.
    pub const SUBJECT: bool = true;
}

/// The answer of every other type.
pub trait TakesNothing {
    /// It is not.
    const SUBJECT: bool = false;
}

impl<T: ?Sized, S: ?Sized> TakesNothing for Takes<T, S> {}
