use serde::{Deserialize, Serialize};

use super::{Reason, Verdict};
use crate::failure::FailureKind;
use crate::id::HookId;

/// What a gate says: deny > defer > ask > allow > no opinion, whoever says it first among equals.
///
/// ```
/// use hooks_core::prelude::*;
///
/// let mut verdict = Permission::allow();
/// verdict.merge(Permission::ask("spends money"));
/// verdict.merge(Permission::Allow);
/// assert!(matches!(verdict, Permission::Ask(_)));
/// ```
// Two words wide, so that a hook without opinion answers in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Verdict)]
#[serde(tag = "permission", rename_all = "snake_case")]
#[verdict(crate = crate)]
#[non_exhaustive]
pub enum Permission {
    /// Nothing was said; the harness does what it does without hooks.
    #[verdict(neutral)]
    NoOpinion,
    /// It may happen.
    #[verdict(lapses)]
    Allow,
    /// A person is to be asked first.
    #[verdict(freezes)]
    Ask(#[verdict(by)] Box<Question>),
    /// Somebody else is to decide later. A deferred question is about this input as much as an asked one.
    #[verdict(freezes)]
    Defer(#[verdict(by)] Box<Question>),
    /// It must not happen.
    #[verdict(deny)]
    Deny(#[verdict(by)] Box<Denial>),
}

/// What is to be asked or put off, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Why the hook does not decide itself.
    pub reason: Reason,
    /// The hook; set by the dispatch.
    #[serde(default)]
    pub by: Option<HookId>,
}

/// A refusal: its reason, its cause, and the hook it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Denial {
    /// Why, for the model and the person.
    pub reason: Reason,
    /// Whether policy refused or the hook could not answer.
    #[serde(default)]
    pub cause: Cause,
    /// The hook; set by the dispatch.
    #[serde(default)]
    pub by: Option<HookId>,
}

/// "The policy said no" and "the hook could not answer" are two different things to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// A hook decided so.
    #[default]
    Policy,
    /// A hook that should have decided failed, and its `on_failure` is `deny`.
    CouldNotAnswer(FailureKind),
}

impl Denial {
    /// A decision of policy, for `reason`.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), cause: Cause::Policy, by: None }
    }
}

/// A decision of policy, for this reason.
impl From<&str> for Denial {
    fn from(reason: &str) -> Self {
        Self::new(reason)
    }
}

/// A decision of policy, for this reason.
impl From<String> for Denial {
    fn from(reason: String) -> Self {
        Self::new(reason)
    }
}

impl Question {
    /// Not decided, for `reason`.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), by: None }
    }
}

impl Permission {
    /// It may happen.
    pub fn allow() -> Self {
        Self::Allow
    }

    /// A person is to be asked first, for `reason`.
    pub fn ask(reason: impl Into<Reason>) -> Self {
        Self::Ask(Box::new(Question::new(reason)))
    }

    /// Somebody else is to decide later, for `reason`.
    pub fn defer(reason: impl Into<Reason>) -> Self {
        Self::Defer(Box::new(Question::new(reason)))
    }

    /// It must not happen, for `reason`.
    pub fn deny(reason: impl Into<Reason>) -> Self {
        Self::Deny(Box::new(Denial::new(reason)))
    }

    /// The refusal, if it is one.
    pub fn denial(&self) -> Option<&Denial> {
        match self {
            Self::Deny(denial) => Some(denial),
            _ => None,
        }
    }
}
