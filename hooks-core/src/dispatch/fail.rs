//! How a hook failed, before anything was decided about it.

use std::time::Duration;

use crate::failure::FailureKind;
use crate::handler::{Fault, FaultKind, NotSelected};
use crate::record::Status;

/// How a hook failed.
#[derive(Debug)]
pub(crate) enum Fail {
    Fault(Fault),
    Panicked(String),
    TimedOut(Duration),
    /// It broke this rule of the kind.
    Violation(String),
    /// It contributed what its `capabilities` do not name.
    Capability(String),
}

/// How a hook failed, and what it said.
#[derive(Debug)]
pub(crate) struct FailureCause {
    pub(crate) kind: FailureKind,
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Fail {
    /// The failure in words. A halt is no failure; as one it says its reason.
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
            Self::TimedOut(limit) => (FailureKind::TimedOut, Status::TimedOut, format!("not done within {limit:?}")),
            Self::Violation(rule) => (FailureKind::Violation, Status::Failed, rule),
            Self::Capability(text) => (FailureKind::CapabilityMissing, Status::Failed, text),
        };
        FailureCause { kind, status, text }
    }
}

impl FailureCause {
    /// Both causes of a hook that failed, and whose fallback failed too.
    pub(super) fn and(self, fallback: &Self) -> Self {
        let text = format!("{}; its fallback failed too ({}): {}", self.text, fallback.kind, fallback.text);
        Self { text, ..self }
    }
}
