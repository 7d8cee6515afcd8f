use std::fmt;

use crate::source::Origin;
use crate::verdict::Semantics;

/// A way in which a harness does not do what it declares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// The program has no `fires![…]`.
    #[error("nothing is declared: write `hooks_core::fires![BeforeToolCall, …];` beside the code that fires")]
    NothingDeclared,
    /// An occurrence happened and nothing was fired.
    #[error(
        "`{kind}` is declared at {origin}, but an occurrence of it fired nothing: fire it on the hook set that the driver is given, or take it out of `fires![…]`"
    )]
    #[non_exhaustive]
    NeverFired {
        /// The kind.
        kind: &'static str,
        /// Where it is declared.
        origin: Origin,
    },
    /// One occurrence was fired more than once.
    #[error(
        "`{kind}`, declared at {origin}, was fired {times} times by one occurrence: its hooks would act {times} times"
    )]
    #[non_exhaustive]
    FiredAgain {
        /// The kind.
        kind: &'static str,
        /// Where it is declared.
        origin: Origin,
        /// How often.
        times: usize,
    },
    /// What the dispatch came to made no difference.
    #[error(
        "`{kind}`, declared at {origin}, is fired, but its outcome is not used: with a probe that had an effect, what came of the occurrence is the same; go on with `fired.subject` and `fired.verdict`"
    )]
    #[non_exhaustive]
    OutcomeUnused {
        /// The kind.
        kind: &'static str,
        /// Where it is declared.
        origin: Origin,
    },
    /// Something that a hook of the kind can say made no difference.
    #[error(
        "`{kind}`, declared at {origin}, is fired, but what came of the occurrence is the same where a hook {probe}; act on `fired.verdict` (`Permission::decide`), `fired.subject`, `fired.report.halt` and an error of the dispatch, or have `Drive::drive` show it"
    )]
    #[non_exhaustive]
    AnswerUnused {
        /// The kind.
        kind: &'static str,
        /// Where it is declared.
        origin: Origin,
        /// What a hook did.
        probe: &'static str,
    },
    /// The driver has no probe for a kind whose hooks may do more than observe.
    #[error(
        "the driver has no probe for `{kind}` ({semantics}): return a hook of that kind from `Drive::probe`, with the id that it is given, that changes, refuses or contributes something"
    )]
    #[non_exhaustive]
    NoProbe {
        /// The kind.
        kind: &'static str,
        /// What it is.
        semantics: Semantics,
    },
    /// The probe neither changed nor decided anything, so nothing could be seen.
    #[error(
        "the driver's probe for `{kind}` neither changed, refused nor contributed anything, so nothing can be seen of it"
    )]
    #[non_exhaustive]
    ProbeWithoutEffect {
        /// The kind.
        kind: &'static str,
    },
    /// The driver could not make the occurrence happen.
    #[error("the driver could not make `{kind}` happen: {error}")]
    #[non_exhaustive]
    DriverFailed {
        /// The kind.
        kind: &'static str,
        /// What it said.
        error: String,
    },
}

/// Everything in which a harness does not do what it declares.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotConforming {
    breaches: Vec<Breach>,
}

impl NotConforming {
    /// The breaches, by kind.
    pub fn breaches(&self) -> &[Breach] {
        &self.breaches
    }

    pub(super) fn unless_empty(breaches: Vec<Breach>) -> Result<(), Self> {
        if breaches.is_empty() { Ok(()) } else { Err(Self { breaches }) }
    }
}

impl fmt::Display for NotConforming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the harness does not do what it declares:")?;
        self.breaches.iter().try_for_each(|breach| write!(f, "\n  - {breach}"))
    }
}

impl fmt::Debug for NotConforming {
    /// The words, because this is what a test that returns the error or unwraps it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
