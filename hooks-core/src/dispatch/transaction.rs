//! The subject of a dispatch, in two copies.

/// Hooks only ever write to the scratch, so what a failed one did is dropped with it. A hook that wrote nothing leaves the
/// scratch equal to what is committed, and the next writer gets the same one: a chain that changes nothing costs one clone,
/// whatever its length.
pub(super) struct Transaction<S> {
    pub(super) committed: S,
    pub(super) scratch: Option<S>,
}

impl<S: Clone> Transaction<S> {
    pub(super) fn new(subject: S) -> Self {
        Self { committed: subject, scratch: None }
    }

    /// The scratch to write to in place.
    #[inline]
    pub(super) fn lend(&mut self) -> &mut S {
        self.scratch.get_or_insert_with(|| self.committed.clone())
    }

    /// The scratch to give away.
    #[inline]
    pub(super) fn give(&mut self) -> S {
        self.scratch.take().unwrap_or_else(|| self.committed.clone())
    }
}
