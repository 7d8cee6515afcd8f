//! Deduplicates messages and long values: each is written before the first line that refers to it.

use std::collections::HashSet;

use serde_json::Value;

use crate::line::{RecordingLine, SharedLine};
use crate::refs::{self, SharedId, Window};

/// Texts of at least this many bytes are written once.
const LONG: usize = 512;

/// The fields of a turn's inputs that are usually the same in every turn.
const OF_PROGRAM: [&str; 3] = ["tools", "bundled", "limits"];

/// What the current file contains.
pub(crate) struct SharedValues {
    messages: Window<()>,
    values: Window<()>,
    /// What the line under construction contains or refers to.
    waiting: HashSet<Reference>,
}

#[derive(PartialEq, Eq, Hash)]
enum Reference {
    Message(SharedId),
    Value(SharedId),
}

/// A line under construction.
struct Output<'a> {
    bytes: Vec<u8>,
    /// Finds the messages that the line refers to.
    message: &'a mut dyn FnMut(SharedId) -> Option<Value>,
}

impl SharedValues {
    pub(crate) fn new() -> Self {
        Self { messages: Window::new(), values: Window::new(), waiting: HashSet::new() }
    }

    /// Whether the next line can refer to the message.
    pub(crate) fn has_message(&self, id: SharedId) -> bool {
        self.messages.reaches(id)
    }

    /// The bytes of the line, after those of the lines that it refers to and that the file does not contain yet.
    /// `message` finds messages. Call [`written`](Self::written) after the bytes were written.
    pub(crate) fn bytes(
        &mut self,
        line: &mut RecordingLine,
        message: &mut dyn FnMut(SharedId) -> Option<Value>,
    ) -> serde_json::Result<Vec<u8>> {
        self.waiting.clear();
        let mut making = Output { bytes: Vec::new(), message };
        let mut done = Ok(());
        if let RecordingLine::Turn(turn) = line {
            for name in OF_PROGRAM {
                if let Some(field) = turn.inputs.get_mut(name) {
                    self.share_value(field, &mut making)?;
                }
            }
        }
        line.each_value(&mut |value| {
            if done.is_ok() {
                done = self.share(value, &mut making);
            }
        });
        done?;
        put(&mut making.bytes, line)?;
        Ok(making.bytes)
    }

    /// Records that the last bytes were written.
    pub(crate) fn written(&mut self) {
        for shared in self.waiting.drain() {
            match shared {
                Reference::Message(id) => self.messages.insert(id, ()),
                Reference::Value(id) => self.values.insert(id, ()),
            }
        }
        self.messages.next_line();
        self.values.next_line();
    }

    /// Starts a new file, which cannot refer to earlier ones.
    pub(crate) fn next_file(&mut self) {
        self.messages.clear();
        self.values.clear();
    }

    fn share(&mut self, value: &mut Value, making: &mut Output<'_>) -> serde_json::Result<()> {
        match value {
            Value::String(text) if text.len() >= LONG => self.share_value(value, making),
            Value::String(text) => refs::message_of(text).map_or(Ok(()), |id| self.share_message(id, making)),
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.share(item, making)),
            Value::Object(fields) => fields.values_mut().try_for_each(|field| self.share(field, making)),
            _ => Ok(()),
        }
    }

    fn share_message(&mut self, id: SharedId, making: &mut Output<'_>) -> serde_json::Result<()> {
        if !self.waiting.insert(Reference::Message(id)) || self.has_message(id) {
            return Ok(());
        }
        // A message that is not found was already missing in the recording that is being rewritten.
        let Some(mut value) = (making.message)(id) else { return Ok(()) };
        self.share(&mut value, making)?;
        put(&mut making.bytes, &RecordingLine::Message(SharedLine { id, value }))
    }

    /// Replaces a value by a reference if that is shorter.
    fn share_value(&mut self, value: &mut Value, making: &mut Output<'_>) -> serde_json::Result<()> {
        let content = serde_json::to_vec(value)?;
        if content.len() < LONG {
            return Ok(());
        }
        let id = SharedId::of(&content);
        let value = std::mem::replace(value, refs::value(id));
        if !self.waiting.insert(Reference::Value(id)) || self.values.reaches(id) {
            return Ok(());
        }
        put(&mut making.bytes, &RecordingLine::Value(SharedLine { id, value }))
    }
}

fn put(bytes: &mut Vec<u8>, line: &RecordingLine) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *bytes, line)?;
    bytes.push(b'\n');
    Ok(())
}
