/// A rule that a hook's change to the subject broke. The hook's change is discarded, and its failure is handled as
/// `on_failure` says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct Violation {
    rule: String,
}

impl Violation {
    /// Creates a violation. `rule` is one sentence in lower case.
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into() }
    }
}
