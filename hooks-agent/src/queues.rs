//! Runs the turns of a conversation one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

type Queue = tokio::sync::Mutex<()>;

/// The queues of the conversations with an open session. An app that opens a session for each request often has two
/// sessions of one conversation, whose turns must not interleave in the store.
#[derive(Default)]
pub(crate) struct Queues(Mutex<QueueMap>);

#[derive(Default)]
struct QueueMap {
    queues: HashMap<String, Weak<Queue>>,
    /// The number of queues at which those without a holder are dropped.
    room: usize,
}

impl Queues {
    /// The queue of `conversation`. It stays the same as long as it has a holder.
    pub(crate) fn of(&self, conversation: &str) -> Arc<Queue> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = known.queues.get(conversation).and_then(Weak::upgrade) {
            return queue;
        }
        if known.queues.len() >= known.room {
            known.queues.retain(|_, queue| queue.strong_count() > 0);
            // Twice the number in use, so the cost of a sweep is amortised over the insertions.
            known.room = (known.queues.len() * 2).max(64);
        }
        let queue = Arc::default();
        known.queues.insert(conversation.to_owned(), Arc::downgrade(&queue));
        queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_has_one_queue_and_what_nobody_holds_is_dropped() {
        let queues = Queues::default();
        let held = queues.of("held");
        for number in 0..1_000 {
            assert!(!Arc::ptr_eq(&held, &queues.of(&number.to_string())));
        }
        assert!(Arc::ptr_eq(&held, &queues.of("held")));
        let left = queues.0.lock().unwrap_or_else(PoisonError::into_inner).queues.len();
        assert!(left <= 64, "{left} of 1,001 queues are kept, and one is held");
    }
}
