//! References of lines to messages and long values that earlier lines contain.
//!
//! In a line, the text `$message:id` refers to a message and `$value:id` to a long value of an earlier line. Other
//! texts of this form are escaped with an additional `$`, so that no recorded text can be mistaken for a reference.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The id of a message or a value. It is a hash of the content, so it is the same in every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedId(u64);

/// The prefix of a reference to a message.
const MESSAGE: &str = "$message:";

/// The prefix of a reference to a long value.
const VALUE: &str = "$value:";

/// The maximum distance in lines between a reference and the line that contains or last referred to its target. Beyond
/// it, the target is written again, so that recordings of any length can be read in bounded memory.
const SPAN: u64 = 4096;

/// The target of a reference is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it refers to `{0}`, which is not in the recording: the line that contained it is incomplete or was removed")]
pub struct MissingReference(pub(crate) SharedId);

impl SharedId {
    pub(crate) fn of(content: &[u8]) -> Self {
        let hash = Sha256::digest(content);
        Self(hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Parses the form that [`Display`](fmt::Display) writes, and no other one.
    fn read(text: &str) -> Option<Self> {
        let digit = |byte| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let number = text.bytes().try_fold(0, |number: u64, byte| Some(number << 4 | u64::from(digit(byte)?)));
        number.filter(|_| text.len() == 16).map(Self)
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

/// Creates a reference to a message.
pub(crate) fn message(id: SharedId) -> Value {
    format!("{MESSAGE}{id}").into()
}

/// Creates a reference to a long value.
pub(crate) fn value(id: SharedId) -> Value {
    format!("{VALUE}{id}").into()
}

/// Parses a reference to a message.
pub(crate) fn message_of(text: &str) -> Option<SharedId> {
    text.strip_prefix(MESSAGE).and_then(SharedId::read)
}

/// Whether a text is a reference, and not a recorded text.
pub(crate) fn is_reference(text: &str) -> bool {
    [MESSAGE, VALUE].iter().any(|prefix| text.strip_prefix(prefix).and_then(SharedId::read).is_some())
}

/// Calls `each` with the id of every message that a value refers to.
pub(crate) fn each_message(value: &Value, each: &mut dyn FnMut(SharedId)) {
    match value {
        Value::String(text) => message_of(text).into_iter().for_each(each),
        Value::Array(items) => items.iter().for_each(|item| each_message(item, each)),
        Value::Object(fields) => fields.values().for_each(|field| each_message(field, each)),
        _ => {}
    }
}

/// Escapes texts that look like references with an additional `$`.
pub(crate) fn escape(value: &mut Value) {
    each_text(value, &mut |value| {
        if let Value::String(text) = value
            && looks_like_one(text)
        {
            text.insert(0, '$');
        }
    });
}

/// Whether a text is a reference with any number of `$` and any target.
fn looks_like_one(text: &str) -> bool {
    let named = text.trim_start_matches('$');
    named.len() < text.len() && [MESSAGE, VALUE].iter().any(|prefix| named.starts_with(&prefix[1..]))
}

/// Replaces each reference to a message by the result of `find`, and unescapes texts. A reference that is not found
/// stays, and the first one is the error.
pub(crate) fn resolve(
    value: &mut Value,
    find: &mut dyn FnMut(SharedId) -> Option<Value>,
) -> Result<(), MissingReference> {
    let mut missing = Ok(());
    each_text(value, &mut |value| {
        let Value::String(text) = value else { return };
        if let Some(id) = message_of(text) {
            match find(id) {
                Some(found) => *value = found,
                None => missing = missing.and(Err(MissingReference(id))),
            }
        } else if text.starts_with("$$") && looks_like_one(text) {
            text.remove(0);
        }
    });
    missing
}

/// Replaces each reference to a long value by the result of `find`.
pub(crate) fn expand(
    value: &mut Value,
    find: &mut dyn FnMut(SharedId) -> Option<Value>,
) -> Result<(), MissingReference> {
    let mut missing = Ok(());
    each_text(value, &mut |value| {
        let id = value.as_str().and_then(|text| text.strip_prefix(VALUE)).and_then(SharedId::read);
        match id.map(|id| find(id).ok_or(MissingReference(id))) {
            None => {}
            Some(Ok(found)) => *value = found,
            Some(Err(error)) => missing = missing.and(Err(error)),
        }
    });
    missing
}

/// Calls `each` with every text. Replacements are not visited.
fn each_text(value: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::String(_) => each(value),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, each)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, each)),
        _ => {}
    }
}

/// The possible targets of references: what one of the last [`SPAN`] lines contains or refers to.
#[derive(Debug)]
pub(crate) struct Window<T> {
    /// The number of lines so far.
    lines: u64,
    /// Each with the last line that contains or refers to it.
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

    /// Whether the next line can refer to it.
    pub(crate) fn reaches(&self, id: SharedId) -> bool {
        self.entries.get(&id).is_some_and(|(last, _)| last + SPAN > self.lines)
    }

    /// Records that a line refers to it.
    pub(crate) fn touch(&mut self, id: SharedId) {
        if let Some((last, _)) = self.entries.get_mut(&id) {
            *last = self.lines;
        }
    }

    /// Records the end of a line other than a message or a value, and drops entries that are out of reach. A reader
    /// keeps them longer, because the lines of a turn are processed at its end.
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
