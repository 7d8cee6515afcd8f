//! Where work came from that ends after its dispatch, or in a later turn, or without its context.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hook_sdk::context::Ids;
use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, TraceContextExt};

/// How many are kept. The oldest are forgotten.
const KEPT: usize = 10_000;

/// The spans of this process that others will link to, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<VecDeque<(u64, SpanContext)>>);

impl Links {
    pub(crate) fn keep(&self, key: impl Hash, span: &SpanContext) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((hash(key), span.clone()));
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }

    /// The latest span that was kept for `key`.
    pub(crate) fn get(&self, key: impl Hash) -> Option<SpanContext> {
        let (key, kept) = (hash(key), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        kept.iter().rfind(|(of, _)| *of == key).map(|(_, span)| span.clone())
    }

    /// The same, which nobody gets again.
    #[cfg(feature = "agent")]
    pub(crate) fn take(&self, key: impl Hash + Copy) -> Option<SpanContext> {
        let span = self.get(key)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _)| *of != hash(key));
        Some(span)
    }
}

fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The address of the ids of a dispatch, and its kind.
type Key = (usize, &'static str);

/// The spans in which dispatches run, by their ids and kind. A dispatch that is dropped may be dropped outside of its span, for
/// example by a time limit.
#[derive(Debug, Default)]
pub(crate) struct Parents(Mutex<HashMap<Key, (Weak<Ids>, SpanContext)>>);

impl Parents {
    pub(crate) fn keep(&self, kind: &'static str, ids: &Arc<Ids>) {
        let current = |cx: &Context| cx.has_active_span().then(|| cx.span().span_context().clone());
        let Some(span) = Context::map_current(current) else { return };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == kept.capacity() {
            kept.retain(|_, (ids, _)| ids.strong_count() > 0);
            let more = kept.len() + 1;
            kept.reserve(more);
        }
        kept.insert((Arc::as_ptr(ids).addr(), kind), (Arc::downgrade(ids), span));
    }

    pub(crate) fn get(&self, kind: &'static str, ids: &Arc<Ids>) -> Option<SpanContext> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(Arc::as_ptr(ids).addr(), kind)).map(|(_, span)| span.clone())
    }
}
