//! State that a hook keeps for each conversation.

use std::collections::HashMap;
use std::sync::Mutex;

/// The most conversations that are remembered. Then the one that was used least recently is forgotten.
const MOST: usize = 10_000;

/// A value for each conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversations<T>(Mutex<Known<T>>);

#[derive(Debug, Default)]
struct Known<T> {
    values: HashMap<String, (u64, T)>,
    /// Grows with each use.
    clock: u64,
}

impl<T: Default> Conversations<T> {
    /// Reads and changes the value of a conversation.
    pub(crate) fn with<R>(&self, conversation: &str, change: impl FnOnce(&mut T) -> R) -> R {
        // A panic of `change` leaves counters at most one short of what they were about to be.
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.clock += 1;
        let now = known.clock;
        if known.values.len() >= MOST && !known.values.contains_key(conversation) {
            let oldest = known.values.iter().min_by_key(|(_, (used, _))| *used).map(|(id, _)| id.clone());
            oldest.map(|id| known.values.remove(&id));
        }
        let (used, value) = known.values.entry(conversation.to_owned()).or_default();
        *used = now;
        change(value)
    }
}
