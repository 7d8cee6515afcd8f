//! The index of a kind's plan within a set.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of a kind, which is the same in every set of this process; 0 while no set has a hook of the kind.
///
/// With it, finding a plan takes one load and one index, whatever the number of kinds.
#[derive(Debug)]
pub struct Slot(AtomicUsize);

static NEXT_SLOT: AtomicUsize = AtomicUsize::new(1);

impl Slot {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default)] // const, and only for a static
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// The number; 0 means that no set of this process has a hook of this kind.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        // Relaxed: a set that holds the kind was given to this thread after its number was stored.
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the number, and assigns one if there is none yet.
    pub(crate) fn assign(&self) -> usize {
        match self.number() {
            0 => {
                let fresh = NEXT_SLOT.fetch_add(1, Ordering::Relaxed);
                self.0
                    .compare_exchange(0, fresh, Ordering::AcqRel, Ordering::Acquire)
                    .map_or_else(|taken| taken, |_| fresh)
            }
            number => number,
        }
    }
}
