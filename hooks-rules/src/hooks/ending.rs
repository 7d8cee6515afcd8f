//! A result that is rewritten, and a turn that may end after it.

use std::convert::Infallible;

use hooks_core::hook::{Answer, Effect};
use hooks_core::param::{InTurn, Of, ReturnsSubject, ViaHalt, ViaInto, ViaPair};
use hooks_core::verdict::Halt;

/// A subject, and whether the turn ends. Rules may ask for both at once, and an end must not undo what another rule masked:
/// what a hook returns is one or the other, so this is returned as whichever it is.
pub(super) struct Ending<S> {
    pub(super) subject: S,
    pub(super) halt: Option<Halt>,
}

/// Marks the form for inference.
pub(super) enum ViaEnding {}

impl<K: InTurn, S: Send + 'static> ReturnsSubject<K, S, (), ViaEnding> for Ending<S> {
    type Error = Infallible;

    fn effect(of: Of<K, (S, ())>, returned: Self) -> Result<Answer<Effect<S, ()>>, Infallible> {
        let subject = returned.subject;
        match returned.halt {
            None => <(S, ()) as ReturnsSubject<K, S, (), ViaPair<ViaInto>>>::effect(of, (subject, ())),
            Some(halt) => <(S, Halt) as ReturnsSubject<K, S, (), ViaPair<ViaHalt>>>::effect(of, (subject, halt)),
        }
    }

    fn decides() -> bool {
        true
    }
}
