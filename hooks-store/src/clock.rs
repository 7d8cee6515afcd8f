//! System time in milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serializer;

/// The current time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// A duration in milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Converts milliseconds since 1970 to a time.
pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

/// Serialises a time as milliseconds since 1970.
pub(crate) fn as_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(millis(time.duration_since(UNIX_EPOCH).unwrap_or_default()))
}

/// The same for an optional time.
#[allow(clippy::ref_option, reason = "the signature that serde requires")]
pub(crate) fn as_optional_millis<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => as_millis(time, serializer),
        None => serializer.serialize_none(),
    }
}
