//! What lines refer to instead of repeating it: messages, and long values.
//!
//! In a line the text `$message:id` stands for a message and `$value:id` for a long value, which a line before it has. A text
//! of this form that somebody said has one more `$`, so that nobody can pass something off as what another said.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What lines call a message or a value. It is made of the content, so that it is the same in every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedId(u64);

/// How a reference to a message begins.
const MESSAGE: &str = "$message:";

/// How a reference to a long value begins.
const VALUE: &str = "$value:";

/// How many lines one may look back for a message or a value. What none of them has is written again, so that a recording
/// of any length is read in bounded memory.
const SPAN: u64 = 4096;

/// A line refers to something that no line before it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it refers to `{0}`, which is not in the recording: the line that had it is torn, or was taken out")]
pub struct Missing(pub(crate) SharedId);

impl SharedId {
    pub(crate) fn of(content: &[u8]) -> Self {
        let hash = Sha256::digest(content);
        Self(hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn read(text: &str) -> Option<Self> {
        let is_written = text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        is_written.then(|| u64::from_str_radix(text, 16).ok().map(Self)).flatten()
    }
}

impl fmt::Display for SharedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for SharedId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::read(&text).ok_or_else(|| serde::de::Error::custom("expected 16 hexadecimal digits"))
    }
}

/// A reference to a message.
pub(crate) fn message(id: SharedId) -> Value {
    format!("{MESSAGE}{id}").into()
}

/// A reference to a long value.
pub(crate) fn value(id: SharedId) -> Value {
    format!("{VALUE}{id}").into()
}

/// The message that a text refers to.
pub(crate) fn message_of(text: &str) -> Option<SharedId> {
    text.strip_prefix(MESSAGE).and_then(SharedId::read)
}

/// Whether a text is a reference, which is nothing that anybody said.
pub(crate) fn is_reference(text: &str) -> bool {
    [MESSAGE, VALUE].iter().any(|prefix| text.strip_prefix(prefix).and_then(SharedId::read).is_some())
}

/// Calls `each` with the messages that a value refers to.
pub(crate) fn each_message(value: &Value, each: &mut dyn FnMut(SharedId)) {
    match value {
        Value::String(text) => message_of(text).into_iter().for_each(each),
        Value::Array(items) => items.iter().for_each(|item| each_message(item, each)),
        Value::Object(fields) => fields.values().for_each(|field| each_message(field, each)),
        _ => {}
    }
}

/// Gives texts that look like a reference one more `$`.
pub(crate) fn escape(value: &mut Value) {
    each_text(value, &mut |value| {
        if let Value::String(text) = value
            && looks_like_one(text)
        {
            text.insert(0, '$');
        }
    });
}

/// Whether a text is that of a reference, but for the number of its `$` and what it refers to.
fn looks_like_one(text: &str) -> bool {
    let named = text.trim_start_matches('$');
    named.len() < text.len() && [MESSAGE, VALUE].iter().any(|prefix| named.starts_with(&prefix[1..]))
}

/// Puts what `find` gives into the place of each reference to a message, and takes back what [`escape`] did. What is not
/// found stays as it is, and the first of it is the error.
pub(crate) fn resolve(value: &mut Value, find: &mut dyn FnMut(SharedId) -> Option<Value>) -> Result<(), Missing> {
    let mut missing = Ok(());
    each_text(value, &mut |value| {
        let Value::String(text) = value else { return };
        if let Some(id) = message_of(text) {
            match find(id) {
                Some(found) => *value = found,
                None => missing = missing.and(Err(Missing(id))),
            }
        } else if text.starts_with("$$") && looks_like_one(text) {
            text.remove(0);
        }
    });
    missing
}

/// Puts what `find` gives into the place of each reference to a long value.
pub(crate) fn expand(value: &mut Value, find: &mut dyn FnMut(SharedId) -> Option<Value>) -> Result<(), Missing> {
    let mut missing = Ok(());
    each_text(value, &mut |value| {
        let id = value.as_str().and_then(|text| text.strip_prefix(VALUE)).and_then(SharedId::read);
        match id.map(|id| find(id).ok_or(Missing(id))) {
            None => {}
            Some(Ok(found)) => *value = found,
            Some(Err(error)) => missing = missing.and(Err(error)),
        }
    });
    missing
}

/// Calls `each` with every text. What it puts in a text's place is not looked through.
fn each_text(value: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::String(_) => each(value),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, each)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, each)),
        _ => {}
    }
}

/// What lines may refer to: what is in one of the last [`SPAN`] lines, or is referred to there.
#[derive(Debug)]
pub(crate) struct Window<T> {
    /// How many lines there were.
    lines: u64,
    /// With the line that had it last.
    entries: HashMap<SharedId, (u64, T)>,
}

impl<T> Window<T> {
    pub(crate) fn new() -> Self {
        Self { lines: 0, entries: HashMap::new() }
    }

    pub(crate) fn insert(&mut self, id: SharedId, entry: T) {
        self.entries.insert(id, (self.lines, entry));
    }

    pub(crate) fn get(&self, id: SharedId) -> Option<&T> {
        self.entries.get(&id).map(|(_, entry)| entry)
    }

    /// Whether the next line may refer to it.
    pub(crate) fn reaches(&self, id: SharedId) -> bool {
        self.entries.get(&id).is_some_and(|(last, _)| last + SPAN > self.lines)
    }

    /// A line refers to it.
    pub(crate) fn touch(&mut self, id: SharedId) {
        if let Some((last, _)) = self.entries.get_mut(&id) {
            *last = self.lines;
        }
    }

    /// A line is over that is more than a message or a value. What nobody can refer to is let go of; a reader keeps it
    /// longer, since lines of a turn wait for its end.
    pub(crate) fn next_line(&mut self) {
        self.lines += 1;
        if self.lines.is_multiple_of(SPAN) {
            let first = self.lines.saturating_sub(2 * SPAN);
            self.entries.retain(|_, (last, _)| *last >= first);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}
