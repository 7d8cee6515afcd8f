//! What lines call the messages of dispatches.

use std::collections::HashMap;
use std::sync::Arc;

use hooks_core::data::{Message, MessageData, MessagePool};
use hooks_core::record::Trace;
use serde_json::Value;

use crate::clean::{Cleaner, Left};
use crate::line::{DispatchLine, Line, SharedLine};
use crate::refs::{self, Missing, SharedId, Window};

/// The ids of messages that dispatches had lately. A message that is not changed stays in its place in memory, so that a
/// conversation is read once and not for each of its dispatches.
#[derive(Default)]
pub(crate) struct MessageIds {
    /// By where it is. It is held, so that no other one comes to be there.
    known: HashMap<usize, (Message, Noted)>,
    bytes: usize,
}

/// What is known of a message.
#[derive(Clone, Copy)]
struct Noted {
    id: SharedId,
    /// What was left out of it.
    left: Left,
}

/// How many bytes of messages are held.
const HELD: usize = 16 << 20;

/// How long a message is of which nobody says it.
const USUAL: usize = 1024;

impl MessageIds {
    /// Notes that lines call the message so.
    fn insert(&mut self, message: Message, id: SharedId) {
        self.note(message, Noted { id, left: Left::default() }, USUAL);
    }

    fn note(&mut self, message: Message, noted: Noted, bytes: usize) {
        if self.bytes >= HELD {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.known.insert(place(&message), (message, noted));
    }

    fn of(&mut self, message: &Message, cleaner: &mut Cleaner) -> Noted {
        if let Some((_, noted)) = self.known.get(&place(message)) {
            return *noted;
        }
        let (value, left) = written(message, cleaner);
        let content = serde_json::to_vec(&value).unwrap_or_default();
        let noted = Noted { id: SharedId::of(&content), left };
        // One that was cut may be of any size.
        if !left.cut {
            self.note(message.clone(), noted, content.len());
        }
        noted
    }

    /// `value` with references to lines in the place of those to `pool`. `seen` is given each message.
    pub(crate) fn value(
        &mut self,
        mut value: Value,
        pool: &MessagePool,
        cleaner: &mut Cleaner,
        seen: &mut dyn FnMut(SharedId, &Message),
    ) -> (Value, Left) {
        let mut left = Left::default();
        refs::escape(&mut value);
        pool.replace(&mut value, &mut |message| {
            let noted = self.of(message, cleaner);
            left |= noted.left;
            seen(noted.id, message);
            refs::message(noted.id)
        });
        (value, left)
    }

    /// The line of a dispatch. What it says beside its messages is not cleaned.
    pub(crate) fn line(
        &mut self,
        trace: Trace,
        cleaner: &mut Cleaner,
        seen: &mut dyn FnMut(SharedId, &Message),
    ) -> DispatchLine {
        let (pool, mut left) = (Arc::clone(&trace.pool), Left::default());
        let mut line = DispatchLine::of(trace, &mut |value| {
            let (value, of_messages) = self.value(value, &pool, cleaner, seen);
            left |= of_messages;
            value
        });
        left.mark(&mut line.marks);
        line
    }
}

/// The messages that a replay reads, and those that its hooks make.
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
    /// A line that has a message.
    pub(crate) fn read(&mut self, line: SharedLine) -> Result<(), serde_json::Error> {
        let mut value = line.value;
        // A message refers to no other one.
        let _ = refs::resolve(&mut value, &mut |_| None);
        let message: Message = serde_json::from_value(value)?;
        self.ids.insert(message.clone(), line.id);
        self.recorded.insert(line.id, message);
        Ok(())
    }

    /// A line that may refer to messages.
    pub(crate) fn next_line(&mut self, line: &mut Line) {
        line.each_value(&mut |said| refs::each_message(said, &mut |id| self.recorded.touch(id)));
        self.recorded.next_line();
        self.fresh.next_line();
    }

    pub(crate) fn get(&self, id: SharedId) -> Option<&Message> {
        self.recorded.get(id).or_else(|| self.fresh.get(id))
    }

    /// The value that a message is written as.
    pub(crate) fn value(&self, id: SharedId) -> Option<Value> {
        self.get(id).and_then(|message| serde_json::to_value(message).ok())
    }

    /// A recorded value with references to `pool` in the place of those to lines.
    pub(crate) fn pooled(&self, mut value: Value, pool: &mut MessagePool) -> Result<Value, Missing> {
        refs::resolve(&mut value, &mut |id| self.get(id).map(|message| pool.refer(message.clone())))?;
        Ok(value)
    }

    /// The line of a dispatch of the replay.
    pub(crate) fn line(&mut self, trace: Trace, cleaner: &mut Cleaner) -> DispatchLine {
        let Self { ids, recorded, fresh } = self;
        ids.line(trace, cleaner, &mut |id, message| {
            if recorded.get(id).or_else(|| fresh.get(id)).is_none() {
                fresh.insert(id, message.clone());
            }
        })
    }
}

/// A message as it is written, and what was left out of it.
pub(crate) fn written(message: &Message, cleaner: &mut Cleaner) -> (Value, Left) {
    // It was read from JSON, or can be written as such: none of its types is the app's.
    let mut value = serde_json::to_value(message).unwrap_or_default();
    refs::escape(&mut value);
    let left = cleaner.value(&mut value);
    (value, left)
}

fn place(message: &Message) -> usize {
    std::ptr::from_ref::<MessageData>(message).addr()
}
