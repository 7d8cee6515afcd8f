//! Compares subjects, if their type supports it.

use crate::words::known::Probe;

impl<T: PartialEq> Probe<T> {
    /// Whether two subjects are equal.
    pub const SAME: fn(&T, &T) -> bool = T::eq;
}

/// The answer of a subject without `PartialEq`: every write counts as a change.
pub trait NoEq<S> {
    /// Two subjects never count as equal.
    const SAME: fn(&S, &S) -> bool = |_, _| false;
}

impl<T> NoEq<T> for Probe<T> {}
