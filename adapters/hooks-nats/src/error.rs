//! Why something could not be done with the server.

use std::fmt;

/// Why the server could not be reached, or refused something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsError(pub(crate) String);

impl NatsError {
    /// `what` as in "a stream could not be created".
    pub(crate) fn of<E: fmt::Display>(what: &str) -> impl Fn(E) -> Self {
        move |error| Self(format!("{what}: {error}"))
    }
}

impl fmt::Display for NatsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NatsError {}

impl From<NatsError> for hook_sdk::worker::SourceError {
    fn from(error: NatsError) -> Self {
        Self::Failed(error.0)
    }
}
