//! The failure of a hook, before its `on_failure` is applied.

use std::time::Duration;

use crate::failure::FailureKind;
use crate::handler::{Fault, FaultKind, NotSelected};
use crate::record::Status;

/// The failure of a hook.
#[derive(Debug)]
pub(crate) enum Fail {
    Fault(Fault),
    Panicked(String),
    TimedOut(Duration),
    /// The hook's change broke this rule of the kind.
    Violation(String),
    /// The hook contributed something that its `capabilities` do not name.
    Capability(String),
}

/// The kind and the text of a failure.
#[derive(Debug)]
pub(crate) struct FailureCause {
    pub(crate) kind: FailureKind,
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Fail {
    /// Describes the failure. A halt is not a failure; if it is treated as one, the text is its reason.
    pub(crate) fn cause(self) -> FailureCause {
        let (kind, status, text) = match self {
            Self::Fault(fault) => match *fault.0 {
                FaultKind::Error(text) => (FailureKind::Error, Status::Failed, text),
                FaultKind::NotSelected => (FailureKind::Error, Status::Failed, NotSelected.to_string()),
                FaultKind::Halt(halt) | FaultKind::HaltAndKeep(halt) | FaultKind::HaltAndReplace(halt, _) => {
                    (FailureKind::Error, Status::Failed, halt.reason.as_str().to_owned())
                }
            },
            Self::Panicked(text) => (FailureKind::Panicked, Status::Panicked, text),
            Self::TimedOut(limit) => {
                (FailureKind::TimedOut, Status::TimedOut, format!("not finished within {limit:?}"))
            }
            Self::Violation(rule) => (FailureKind::Violation, Status::Failed, rule),
            Self::Capability(text) => (FailureKind::CapabilityMissing, Status::Failed, text),
        };
        FailureCause { kind, status, text }
    }
}

impl FailureCause {
    /// Combines the failures of a hook and of its fallback.
    pub(super) fn and(self, fallback: &Self) -> Self {
        let text = format!("{}; its fallback failed too ({}): {}", self.text, fallback.kind, fallback.text);
        Self { text, ..self }
    }
}
