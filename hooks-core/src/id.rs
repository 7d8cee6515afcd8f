//! The ids of hooks.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The id of a hook: a lower-case letter, then lower-case letters, digits and `_`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HookId(Arc<str>);

impl HookId {
    pub(crate) fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// Parses an id; `None` if `text` is malformed.
    pub fn named(text: &str) -> Option<Self> {
        Self::is_valid(text).then(|| Self::new(text))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `id` is well formed. The attribute rejects malformed ids at compile time.
    pub(crate) fn is_valid(id: &str) -> bool {
        let mut chars = id.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && !matches!(id, "self" | "super" | "crate")
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for HookId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for HookId {
    fn borrow(&self) -> &str {
        &self.0
    }
}
