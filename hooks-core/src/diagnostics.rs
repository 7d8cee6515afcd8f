//! What is wrong before the first hook runs, all of it at once, and what is legal but suspicious.

mod facts;
mod finding;
mod problem;
mod reported;

use std::fmt;

pub use facts::HarnessFacts;
pub use finding::{Finding, FindingKind};
pub use problem::{Problem, ProblemKind};
pub use reported::Reported;
pub(crate) use reported::at;

/// Everything that is wrong with a registry or a scope.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    problems: Vec<Problem>,
}

impl ConfigError {
    /// The problems, in the order in which they were found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// `Ok` where there are none.
    pub(crate) fn unless_empty(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.as_slice() {
            [only] => write!(f, "{only}"),
            problems => {
                write!(f, "{} problems:", problems.len())?;
                problems.iter().enumerate().try_for_each(|(i, problem)| write!(f, "\n{:>3}. {problem}", i + 1))
            }
        }
    }
}

impl fmt::Debug for ConfigError {
    /// The words, because this is what a `main` that returns the error and a test that unwraps it print.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A list that names hooks, as it is called in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListOwner {
    /// The app's.
    App(String),
    /// An agent's.
    Agent(String),
    /// A prompt's.
    Prompt(String),
    /// A plugin's, which stands for an entry in the app's list.
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
