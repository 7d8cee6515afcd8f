//! The ids of spans. A recording has none, so they follow from what is recorded.

use sha2::{Digest, Sha256};

#[derive(Clone, Debug)]
pub(super) struct SpanIds {
    pub(super) trace: String,
    pub(super) span: String,
}

impl SpanIds {
    /// Those of a span that is in no other. `parts` names it.
    pub(super) fn root(parts: &[&str]) -> Self {
        Self { trace: id(16, parts), span: id(8, parts) }
    }

    /// Those of the `i`-th span of this sort in this one.
    pub(super) fn within(&self, sort: &str, i: usize) -> Self {
        Self { trace: self.trace.clone(), span: id(8, &[sort, &self.span, &i.to_string()]) }
    }
}

/// An id of `bytes` bytes in hexadecimal digits, the same for the same parts.
fn id(bytes: usize, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    // Two digits per byte: the ids of spans are at most as long as a number of 128 bits.
    let hash = hash.finalize();
    let number = hash.iter().take(bytes).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{number:0width$x}", width = 2 * bytes)
}
