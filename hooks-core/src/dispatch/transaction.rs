//! The subject of a dispatch as a transaction.

/// Holds the committed subject and a scratch copy. Hooks write only to the scratch, so dropping it reverts a failed
/// hook. A hook that changes nothing leaves the scratch equal to the committed subject, and the next writer reuses it:
/// a chain without changes costs one clone, whatever its length.
pub(super) struct Transaction<S> {
    pub(super) committed: S,
    pub(super) scratch: Option<S>,
}

impl<S: Clone> Transaction<S> {
    pub(super) fn new(subject: S) -> Self {
        Self { committed: subject, scratch: None }
    }

    /// Returns the scratch to be changed in place.
    #[inline]
    pub(super) fn lend(&mut self) -> &mut S {
        self.scratch.get_or_insert_with(|| self.committed.clone())
    }

    /// Returns the scratch by value.
    #[inline]
    pub(super) fn give(&mut self) -> S {
        self.scratch.take().unwrap_or_else(|| self.committed.clone())
    }
}
