//! Maps messages of dispatches to the ids in lines.

use std::collections::HashMap;
use std::sync::Arc;

use hook_sdk::data::{Message, MessageData, MessagePool};
use hook_sdk::record::Trace;
use serde_json::Value;

use crate::clean::{Cleaner, Redaction};
use crate::line::{DispatchLine, RecordingLine, SharedLine};
use crate::refs::{self, MissingReference, SharedId, Window};

/// The ids of messages in recent dispatches. An unchanged message stays at the same address, so a conversation is
/// hashed once instead of once per dispatch.
#[derive(Default)]
pub(crate) struct MessageIds {
    /// By address. The message is kept alive, so that no other message can have the same address.
    known: HashMap<usize, (Message, MessageEntry)>,
    bytes: usize,
}

/// The id of a message, and how it was cleaned.
#[derive(Clone, Copy)]
struct MessageEntry {
    id: SharedId,
    /// What was removed from it.
    left: Redaction,
}

/// The maximum number of bytes of messages that are kept.
const HELD: usize = 16 << 20;

/// The assumed size of a message whose size is unknown.
const USUAL: usize = 1024;

impl MessageIds {
    /// Sets the id of a message.
    fn insert(&mut self, message: Message, id: SharedId) {
        self.note(message, MessageEntry { id, left: Redaction::default() }, USUAL);
    }

    fn note(&mut self, message: Message, noted: MessageEntry, bytes: usize) {
        if self.bytes >= HELD {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.known.insert(place(&message), (message, noted));
    }

    fn of(&mut self, message: &Message, cleaner: &mut Cleaner) -> MessageEntry {
        if let Some((_, noted)) = self.known.get(&place(message)) {
            return *noted;
        }
        let (value, left) = written(message, cleaner);
        let content = serde_json::to_vec(&value).unwrap_or_default();
        let noted = MessageEntry { id: SharedId::of(&content), left };
        // A message that was truncated can have any size.
        if !left.cut {
            self.note(message.clone(), noted, content.len());
        }
        noted
    }

    /// `value` with its references to `pool` replaced by references to lines. `seen` is called with each message.
    pub(crate) fn value(
        &mut self,
        mut value: Value,
        pool: &MessagePool,
        cleaner: &mut Cleaner,
        seen: &mut dyn FnMut(SharedId, &Message),
    ) -> (Value, Redaction) {
        let mut left = Redaction::default();
        refs::escape(&mut value);
        pool.replace(&mut value, &mut |message| {
            let noted = self.of(message, cleaner);
            left |= noted.left;
            seen(noted.id, message);
            refs::message(noted.id)
        });
        (value, left)
    }

    /// The line of a dispatch. Only its messages are cleaned.
    pub(crate) fn line(
        &mut self,
        trace: Trace,
        cleaner: &mut Cleaner,
        seen: &mut dyn FnMut(SharedId, &Message),
    ) -> DispatchLine {
        let (pool, mut left) = (Arc::clone(&trace.pool), Redaction::default());
        let mut line = DispatchLine::of(trace, &mut |value| {
            let (value, of_messages) = self.value(value, &pool, cleaner, seen);
            left |= of_messages;
            value
        });
        left.mark(&mut line.marks);
        line
    }
}

/// The messages that a replay reads, and those that its hooks create.
pub(crate) struct KnownMessages {
    ids: MessageIds,
    recorded: Window<Message>,
    fresh: Window<Message>,
}

impl Default for KnownMessages {
    fn default() -> Self {
        Self { ids: MessageIds::default(), recorded: Window::new(), fresh: Window::new() }
    }
}

impl KnownMessages {
    /// Adds the message of a line.
    pub(crate) fn read(&mut self, line: SharedLine) -> Result<(), serde_json::Error> {
        let mut value = line.value;
        // A message does not refer to another one.
        let _ = refs::resolve(&mut value, &mut |_| None);
        let message: Message = serde_json::from_value(value)?;
        self.ids.insert(message.clone(), line.id);
        self.recorded.insert(line.id, message);
        Ok(())
    }

    /// Records a line that may refer to messages.
    pub(crate) fn next_line(&mut self, line: &mut RecordingLine) {
        line.each_value(&mut |said| refs::each_message(said, &mut |id| self.recorded.touch(id)));
        self.recorded.next_line();
        self.fresh.next_line();
    }

    pub(crate) fn get(&self, id: SharedId) -> Option<&Message> {
        self.recorded.get(id).or_else(|| self.fresh.get(id))
    }

    /// The serialised message.
    pub(crate) fn value(&self, id: SharedId) -> Option<Value> {
        self.get(id).and_then(|message| serde_json::to_value(message).ok())
    }

    /// A recorded value with its references to lines replaced by references to `pool`.
    pub(crate) fn pooled(&self, mut value: Value, pool: &mut MessagePool) -> Result<Value, MissingReference> {
        refs::resolve(&mut value, &mut |id| self.get(id).map(|message| pool.refer(message.clone())))?;
        Ok(value)
    }

    /// The line of a replayed dispatch.
    pub(crate) fn line(&mut self, trace: Trace, cleaner: &mut Cleaner) -> DispatchLine {
        let Self { ids, recorded, fresh } = self;
        ids.line(trace, cleaner, &mut |id, message| {
            if recorded.get(id).or_else(|| fresh.get(id)).is_none() {
                fresh.insert(id, message.clone());
            }
        })
    }
}

/// The serialised message after cleaning, and what was removed from it.
pub(crate) fn written(message: &Message, cleaner: &mut Cleaner) -> (Value, Redaction) {
    // It was parsed from JSON, or consists only of types that can be serialised.
    let mut value = serde_json::to_value(message).unwrap_or_default();
    refs::escape(&mut value);
    let left = cleaner.value(&mut value);
    (value, left)
}

fn place(message: &Message) -> usize {
    std::ptr::from_ref::<MessageData>(message).addr()
}
