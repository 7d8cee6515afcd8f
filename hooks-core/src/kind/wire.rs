//! Event, subject and verdict of a kind as JSON, for those who fire or run it from outside.

use std::fmt;

use serde_json::{Error, Value};

use super::{HookKind, Serde};

/// How a kind's values are written and read. Made by the derive for a kind that says `json`.
pub struct Wire<K: HookKind> {
    pub(crate) write_event: fn(&K) -> Result<Value, Error>,
    pub(crate) read_event: fn(Value) -> Result<K, Error>,
    pub(crate) write_subject: fn(&K::Subject) -> Result<Value, Error>,
    pub(crate) read_subject: fn(Value) -> Result<K::Subject, Error>,
    pub(crate) write_verdict: fn(&K::Verdict) -> Result<Value, Error>,
}

impl<K> Wire<K>
where
    K: HookKind + Serde,
    K::Subject: Serde,
    K::Verdict: Serde,
{
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    pub fn of() -> Self {
        Self {
            write_event: |event| serde_json::to_value(event),
            read_event: |value| serde_json::from_value(value),
            write_subject: |subject| serde_json::to_value(subject),
            read_subject: |value| serde_json::from_value(value),
            write_verdict: |verdict| serde_json::to_value(verdict),
        }
    }
}

impl<K: HookKind> fmt::Debug for Wire<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire of {}", K::NAME)
    }
}
