//! Problems that are found before the first hook runs, reported all at once, and findings: valid but suspicious
//! configuration.

mod facts;
mod finding;
mod problem;
mod issue;

use std::fmt;

pub use facts::HarnessFacts;
pub use finding::{Finding, FindingKind};
pub use issue::Issue;
pub(crate) use issue::at;
pub use problem::{Problem, ProblemKind};

use crate::tables::debug_as_display;
use crate::text::numbered;

/// All problems of a registry or a scope.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", numbered(.problems))]
pub struct ConfigError {
    problems: Vec<Problem>,
}

impl ConfigError {
    /// The problems, in the order in which they were found. Never empty.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns `Ok` if there are no problems.
    pub(crate) fn unless_empty(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

debug_as_display!(ConfigError);

/// The owner of a list of hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListOwner {
    /// The list of the app with this name; the name may be empty.
    App(String),
    /// The list of an agent.
    Agent(String),
    /// The list of a prompt.
    Prompt(String),
    /// The hooks of a plugin, which replace an entry of the app's list.
    Plugin(String),
}

impl fmt::Display for ListOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(name) if name.is_empty() => f.write_str("the app"),
            Self::App(name) => write!(f, "app `{name}`"),
            Self::Agent(name) => write!(f, "agent `{name}`"),
            Self::Prompt(name) => write!(f, "prompt `{name}`"),
            Self::Plugin(name) => write!(f, "plugin `{name}`"),
        }
    }
}
