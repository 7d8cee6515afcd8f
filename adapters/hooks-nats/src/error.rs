//! Why something could not be done with the server.

use std::fmt::Display;

/// Why the server could not be reached, or refused something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NatsError(pub(crate) String);

impl NatsError {
    /// `what` as in "a stream could not be created".
    pub(crate) fn of<E: Display>(what: &str) -> impl Fn(E) -> Self {
        move |error| Self(format!("{what}: {error}"))
    }
}

impl From<NatsError> for hook_sdk::worker::SourceError {
    fn from(error: NatsError) -> Self {
        Self::Failed(error.0)
    }
}
