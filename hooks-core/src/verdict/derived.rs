//! What the code of `derive(Verdict)` calls in addition to the rules.

use std::fmt;

use super::Semantics;

/// The same bound for the implementation. Because of its lifetime, the compiler does not check it early, so that a
/// missing trait is reported only through [`Complete`](super::rule::Complete).
pub trait Completes<'a>: Clone + fmt::Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + fmt::Debug + Send + Sync + 'static> Completes<'_> for V {}

/// The semantics of a verdict with nested verdicts: that of a gate if one of them is a gate's.
pub const fn semantics_of(within: &[Option<Semantics>], otherwise: Semantics) -> Semantics {
    let mut i = 0;
    while i < within.len() {
        if matches!(within[i], Some(Semantics::Gate)) {
            return Semantics::Gate;
        }
        i += 1;
    }
    otherwise
}
