//! A broken rule.

/// The rule that a writer's change broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct Violation {
    rule: String,
}

impl Violation {
    /// A violation of `rule`, one sentence in lower case.
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into() }
    }
}
