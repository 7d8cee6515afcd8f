//! Where work came from that ends after its dispatch, or in a later turn.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use opentelemetry::trace::SpanContext;

/// How many are kept. The oldest are forgotten.
const KEPT: usize = 1_024;

/// The spans of this process that others will link to.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<VecDeque<(u64, SpanContext)>>);

impl Links {
    pub(crate) fn keep(&self, key: impl Hash, span: &SpanContext) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((hash(key), span.clone()));
    }

    /// The latest span that was kept for `key`.
    pub(crate) fn get(&self, key: impl Hash) -> Option<SpanContext> {
        let (key, kept) = (hash(key), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        kept.iter().rev().find(|(of, _)| *of == key).map(|(_, span)| span.clone())
    }

    #[cfg(feature = "agent")]
    pub(crate) fn forget(&self, key: impl Hash) {
        let key = hash(key);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _)| *of != key);
    }
}

fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
