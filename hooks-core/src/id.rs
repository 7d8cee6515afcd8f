//! The ids of hooks.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a hook: a lower-case letter, then lower-case letters, digits and `_`.
#[derive(Clone)]
pub struct HookId(Repr);

/// Static if the attribute wrote it, so that linked hooks need no allocation.
#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

impl HookId {
    pub(crate) fn new(id: &str) -> Self {
        Self(Repr::Shared(id.into()))
    }

    pub(crate) const fn from_static(id: &'static str) -> Self {
        Self(Repr::Static(id))
    }

    /// Parses an id; `None` if `text` is malformed.
    pub fn named(text: &str) -> Option<Self> {
        Self::is_valid(text).then(|| Self::new(text))
    }

    /// The id as text.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(id) => id,
            Repr::Shared(id) => id,
        }
    }

    /// Whether `id` is well formed. The attribute rejects malformed ids at compile time.
    pub(crate) const fn is_valid(id: &str) -> bool {
        let bytes = id.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            let is_plain = bytes[i].is_ascii_lowercase() || i > 0 && (bytes[i].is_ascii_digit() || bytes[i] == b'_');
            if !is_plain {
                return false;
            }
            i += 1;
        }
        !matches!(bytes, b"" | b"self" | b"super" | b"crate")
    }
}

impl PartialEq for HookId {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for HookId {}

impl PartialOrd for HookId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HookId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for HookId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Serialize for HookId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for HookId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Arc::deserialize(deserializer).map(|id| Self(Repr::Shared(id)))
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl std::borrow::Borrow<str> for HookId {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}
