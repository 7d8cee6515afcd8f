//! What the person allows the agent to do with its notes in a turn.

use hook_sdk::verdict::{Contribution, Contributions};
use serde_json::Value;

/// The domain of this app's contributions.
pub const DOMAIN: &str = "memory";

/// Whether notes may be read and written in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Whether notes may be read.
    pub read: bool,
    /// Whether notes may be written.
    pub write: bool,
}

/// Phrases that forbid to store anything. "I do not remember his name" also matches, which is harmless: the person can
/// repeat what should have been stored.
const NOTHING_KEPT: &[&str] =
    &["don't remember", "do not remember", "don't keep", "do not keep", "don't note", "do not note", "between us"];

/// Phrases that ask for an answer without the notes.
const NOTHING_READ: &[&str] = &["without your notes", "ignore your notes", "without my notes", "ignore my notes"];

/// Phrases that forbid both.
const NEITHER: &[&str] = &["off the record", "without memory"];

impl Policy {
    /// The policy that `prompt` requests.
    pub fn wanted(prompt: &str) -> Self {
        let said: Vec<_> = prompt.split_whitespace().collect();
        let said = said.join(" ").to_lowercase().replace('’', "'");
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
        Self { read: !says(NOTHING_READ) && !says(NEITHER), write: !says(NOTHING_KEPT) && !says(NEITHER) }
    }

    /// The policy of the turn, from the contributions so far. The default is to forbid: the classifier may have failed,
    /// or another list may have left it out.
    pub fn in_force(contributions: &Contributions) -> Self {
        let policies = contributions.policies();
        let allowed = |key| policies.value(DOMAIN, key) == Some(&Value::Bool(true));
        Self { read: allowed("read"), write: allowed("write") }
    }

    /// The policy as contributions of a hook.
    pub fn contributions(self) -> Vec<Contribution> {
        vec![Contribution::policy(DOMAIN, "read", self.read, 0), Contribution::policy(DOMAIN, "write", self.write, 0)]
    }
}
