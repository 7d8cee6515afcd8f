use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Attribution, Reason, Verdict};
use crate::data::ToolResult;
use crate::failure::FailureKind;
use crate::id::HookId;

/// What a gate says: deny > defer > ask > answer > allow > no opinion, whoever says it first among equals.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Verdict)]
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
    /// It does not happen; this is what came of it all the same.
    #[verdict(lapses)]
    Answer(Box<ToolResult>),
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

/// What a harness has to do where a gate answered. Made by [`Permission::decide`].
///
/// There are these five and no others, so a `match` needs no `_` that would run what a person is to be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a decision that nobody acts on runs what was refused"]
pub enum Decision<'a> {
    /// Go on: a hook allowed it, or none has an opinion.
    Run,
    /// Do not run it, and go on as if this were what came of it. Where there is nothing to answer, refuse.
    Answer(&'a ToolResult),
    /// Ask a person, and run it only with their consent. Where nobody can be asked, refuse.
    Ask(&'a Question),
    /// Put it off until somebody else decides. Where nothing can be put off, refuse.
    Defer(&'a Question),
    /// Do not run it, and give the model the reason.
    Refuse(&'a Denial),
}

/// What is to be asked or put off, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Why the hook does not decide itself.
    pub reason: Reason,
    /// How bad it can get, in a word of the app's such as `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// What can be chosen, where it is more than yes or no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whatever else who is asked may want to see: a preview, say.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// The hook, or who it answers for; set by the dispatch.
    #[serde(default)]
    pub by: Option<HookId>,
    /// Who the hook answers for, where it carries what others wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
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
    /// The hook, or who it answers for; set by the dispatch.
    #[serde(default)]
    pub by: Option<HookId>,
    /// Who the hook answers for, where it carries what others wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
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
        Self { reason: reason.into(), cause: Cause::Policy, by: None, attribution: None }
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
        Self {
            reason: reason.into(),
            risk: None,
            choices: Vec::new(),
            details: Value::Null,
            by: None,
            attribution: None,
        }
    }

    /// How bad it can get, in a word of the app's.
    #[must_use]
    pub fn risk(mut self, word: impl Into<String>) -> Self {
        self.risk = Some(word.into());
        self
    }

    /// What can be chosen, where it is more than yes or no.
    #[must_use]
    pub fn choices(mut self, choices: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }

    /// Whatever else who is asked may want to see.
    #[must_use]
    pub fn details(mut self, details: impl Into<Value>) -> Self {
        self.details = details.into();
        self
    }
}

/// Asks it.
impl From<Question> for Permission {
    fn from(question: Question) -> Self {
        Self::Ask(Box::new(question))
    }
}

impl Permission {
    /// It may happen.
    pub fn allow() -> Self {
        Self::Allow
    }

    /// It does not happen, and `result` is what came of it: from a cache, say, or in a dry run. Hooks after the call see it as
    /// if the tool had said it.
    pub fn answer(result: ToolResult) -> Self {
        Self::Answer(Box::new(result))
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

    /// What to do now: for a harness, which has to answer for each of the five.
    ///
    /// ```
    /// use hooks_core::prelude::*;
    /// use hooks_core::verdict::Decision;
    ///
    /// /// A loop without a person: what would be asked is refused.
    /// fn refusal(permission: &Permission) -> Option<&str> {
    ///     match permission.decide() {
    ///         Decision::Run => None,
    ///         Decision::Answer(_) => Some("nothing is called here"),
    ///         Decision::Ask(question) | Decision::Defer(question) => Some(question.reason.as_str()),
    ///         Decision::Refuse(denial) => Some(denial.reason.as_str()),
    ///     }
    /// }
    ///
    /// assert_eq!(refusal(&Permission::NoOpinion), None);
    /// assert_eq!(refusal(&Permission::ask("spends money")), Some("spends money"));
    /// ```
    pub fn decide(&self) -> Decision<'_> {
        match self {
            Self::NoOpinion | Self::Allow => Decision::Run,
            Self::Answer(result) => Decision::Answer(result),
            Self::Ask(question) => Decision::Ask(question),
            Self::Defer(question) => Decision::Defer(question),
            Self::Deny(denial) => Decision::Refuse(denial),
        }
    }

    /// The refusal, if it is one. A harness asks [`decide`](Self::decide): what is not refused need not be allowed.
    pub fn denial(&self) -> Option<&Denial> {
        match self {
            Self::Deny(denial) => Some(denial),
            _ => None,
        }
    }
}
