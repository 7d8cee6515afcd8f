//! Compares subjects, if their type supports it.

/// Two subjects to compare. Method resolution tries [`ByEq`] first, which uses `PartialEq` if the type implements it.
#[derive(Debug)]
pub struct Same<'a, S>(pub &'a S, pub &'a S);

/// Compares with `PartialEq`.
pub trait ByEq {
    /// Whether the two are equal.
    fn same(&self) -> bool;
}

impl<S: PartialEq> ByEq for Same<'_, S> {
    #[inline]
    fn same(&self) -> bool {
        self.0 == self.1
    }
}

/// Counts every write as a change.
pub trait ByNothing {
    /// Whether the two are equal: never.
    fn same(&self) -> bool;
}

impl<S> ByNothing for &Same<'_, S> {
    #[inline]
    fn same(&self) -> bool {
        false
    }
}
