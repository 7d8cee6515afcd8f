//! Where work came from that ends after its dispatch, or in a later turn.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use opentelemetry::trace::SpanContext;

/// How many are kept. The oldest are forgotten.
const KEPT: usize = 10_000;

/// The spans of this process that others will link to.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    spans: HashMap<u64, SpanContext>,
    /// The keys of `spans`, the oldest first.
    order: VecDeque<u64>,
}

impl Links {
    pub(crate) fn keep(&self, key: impl Hash, span: &SpanContext) {
        let (key, mut kept) = (hash(key), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if kept.spans.insert(key, span.clone()).is_some() {
            return;
        }
        kept.order.push_back(key);
        if kept.order.len() > KEPT {
            let oldest = kept.order.pop_front();
            oldest.and_then(|oldest| kept.spans.remove(&oldest));
        }
    }

    /// The latest span that was kept for `key`.
    pub(crate) fn get(&self, key: impl Hash) -> Option<SpanContext> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).spans.get(&hash(key)).cloned()
    }

    #[cfg(feature = "agent")]
    pub(crate) fn forget(&self, key: impl Hash) {
        let (key, mut kept) = (hash(key), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if kept.spans.remove(&key).is_some() {
            kept.order.retain(|of| *of != key);
        }
    }
}

fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
