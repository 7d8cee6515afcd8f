//! What can be wrong before the first hook runs, told all at once.

mod problem;

use std::fmt;

pub use problem::Problem;
use problem::did_you_mean;

use crate::hook::HookId;

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

/// As `did_you_mean`, for other names.
pub(crate) fn nearest_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<HookId> = names.map(HookId::new).collect();
    let mut nearest = nearest(wanted, ids.iter());
    nearest.dedup();
    did_you_mean(&nearest)
}

/// The ids nearest to `wanted`, at most three.
pub(crate) fn nearest<'a>(wanted: &str, ids: impl Iterator<Item = &'a HookId>) -> Vec<HookId> {
    let limit = (wanted.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &HookId)> = ids
        .map(|id| (strsim::osa_distance(wanted, id.as_str()), id))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, id)| id.clone()).collect()
}
