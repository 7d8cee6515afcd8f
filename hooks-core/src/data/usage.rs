use std::ops::AddAssign;

use crate::tables::setters;
use serde::{Deserialize, Serialize};

/// The token usage of model calls, as counted by the provider.
///
/// ```
/// use hook_sdk::data::Usage;
///
/// let mut turn = Usage::new(900, 40).cache_read(800);
/// turn += Usage::new(1_000, 60);
/// assert_eq!((turn.input, turn.cache_read, turn.total()), (1_900, 800, 2_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens, including those read from or written to a cache.
    pub input: u64,
    /// Output tokens, including reasoning.
    pub output: u64,
    /// The part of `input` that was read from the provider's cache.
    pub cache_read: u64,
    /// The part of `input` that was written to the provider's cache.
    pub cache_write: u64,
}

impl Usage {
    /// Creates a usage of `input` and `output` tokens, without a cache.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, ..Self::default() }
    }

    /// The sum of input and output tokens.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

setters!(Usage {
    /// The part of `input` that was read from the provider's cache.
    cache_read: u64,
    /// Sets the part of `input` that was written to the provider's cache.
    cache_write: u64,
});

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |mine: &mut u64, theirs: u64| *mine = mine.saturating_add(theirs);
        add(&mut self.input, other.input);
        add(&mut self.output, other.output);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
    }
}
