//! What a program that a host calls leaves behind.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer to a host: an exit status, at most one document, and what is said aside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostAnswer {
    /// The exit status.
    pub exit: u8,
    /// Standard output.
    pub stdout: Stdout,
    /// Standard error, where the host gives it to the model.
    pub stderr: Option<String>,
    /// What could not be carried and which hooks failed, for the log, and for standard error where the host does not
    /// read it.
    pub warnings: Vec<String>,
    /// Why no hook has answered, but this program in their place.
    pub failure: Option<String>,
}

/// What stands on standard output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stdout {
    /// Nothing at all.
    #[default]
    Nothing,
    /// One JSON document.
    Json(Value),
    /// Plain text.
    Text(String),
}

impl HostAnswer {
    /// One document, and exit status 0.
    pub(crate) fn json(value: Value) -> Self {
        Self { stdout: Stdout::Json(value), ..Self::default() }
    }

    /// The same, in the place of hooks that did not answer.
    pub(crate) fn because(self, failure: impl Into<String>) -> Self {
        Self { failure: Some(failure.into()), ..self }
    }

    /// Exit status 2, and the reason on standard error.
    pub(crate) fn exit_2(reason: impl Into<String>) -> Self {
        Self { exit: 2, stderr: Some(reason.into()), ..Self::default() }
    }
}
