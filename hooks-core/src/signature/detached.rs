//! The signatures of detached and background hooks.

use std::convert::Infallible;

use super::{Of, ViaInto};
use crate::handler::Answer;
use crate::verdict::{Contribution, Contributions};

/// The return type of a detached or background hook.
#[diagnostic::on_unimplemented(
    message = "a detached or background hook at `{K}` cannot return `{Self}`",
    label = "expected `()` or `Result<(), E>`",
    note = "no dispatch waits for a hook with `run = detached` or `run = background`, so it cannot decide; if the kind's verdict is `Contributions`, it may return audit notes and background jobs"
)]
pub trait ReturnsDetached<K, V, M>: Sized {
    /// The error of a `Result`.
    type Error;
    /// Converts the returned value into an answer for the end of the run.
    ///
    /// # Errors
    /// The hook's own error.
    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, Self::Error>;
}

#[diagnostic::do_not_recommend]
impl<K, V: From<()>> ReturnsDetached<K, V, ()> for () {
    type Error = Infallible;

    fn verdict(_of: Of<K, V>, (): Self) -> Result<Answer<V>, Infallible> {
        Ok(Ok(().into()))
    }
}

/// The types that stand for contributions. Not every type that converts into them, because `()` does too.
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
impl<K, V, M, T: ReturnsDetached<K, V, M, Error = Infallible>, E> ReturnsDetached<K, V, Result<M, ()>>
    for Result<T, E>
{
    type Error = E;

    fn verdict(of: Of<K, V>, returned: Self) -> Result<Answer<V>, E> {
        let Ok(answer) = T::verdict(of, returned?);
        Ok(answer)
    }
}
