use std::mem::{swap, take};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rule::Attributed as _;
use super::{Attribution, Halt, Reason, Semantics, Verdict};
use crate::data::ToolResult;
use crate::failure::FailureKind;
use crate::id::HookId;
use crate::tables::{conversions, setters};

/// The verdict of a gate: deny > defer > ask > answer > allow > no opinion. Among equals, the first one wins.
///
/// ```
/// use hook_sdk::prelude::*;
///
/// let mut verdict = Permission::Allow;
/// verdict.merge(Permission::ask("spends money"));
/// verdict.merge(Permission::Allow);
/// assert!(matches!(verdict, Permission::Ask(_)));
/// ```
// Two words wide, so that a hook without opinion answers in registers.
#[must_use = "a verdict has no effect unless the hook returns it"]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "permission", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Permission {
    /// No opinion: the harness proceeds as it would without hooks.
    #[default]
    NoOpinion,
    /// The call may run.
    Allow,
    /// The call does not run, and this is its result.
    Answer(Box<ToolResult>),
    /// A person must be asked first.
    Ask(Box<Question>),
    /// Somebody else decides later. A deferred question is about this input, as an asked one is.
    Defer(Box<Question>),
    /// The call must not run.
    Deny(Box<Denial>),
}

/// What a harness must do after a gate. Returned by [`Permission::decide`].
///
/// There are exactly five, so a `match` needs no `_` arm, which could run a call that needs approval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a decision that nobody acts on runs what was refused"]
pub enum Decision<'a> {
    /// Run it: a hook allowed it, or no hook has an opinion.
    Run,
    /// Do not run it, and continue with this result. If the harness cannot use a result here, refuse.
    Answer(&'a ToolResult),
    /// Ask a person, and run it only with their consent. If nobody can be asked, refuse.
    Ask(&'a Question),
    /// Wait until somebody else decides. If the harness cannot wait, refuse.
    Defer(&'a Question),
    /// Do not run it, and give the model the reason.
    Refuse(&'a Denial),
}

/// A question to a person, and the hook that asks it.
#[must_use = "a question has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Why the hook does not decide.
    pub reason: Reason,
    /// The risk, in a word of the app such as `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// The choices, if they are not just yes and no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Further details for the person, for example a preview.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// The hook, or on whose behalf it answers; set by the dispatch.
    pub by: Option<HookId>,
    /// On whose behalf the hook answers, if it runs something that others wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
    /// What else gates ask about the call, and whether they defer it. The answer decides about these questions too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<(Question, bool)>,
}

/// A denial: its reason, its cause, and its hook.
#[must_use = "a denial has no effect unless the hook returns it"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Denial {
    /// The reason, for the model and the person.
    pub reason: Reason,
    /// Whether a policy denied, or the hook could not answer.
    #[serde(default)]
    pub cause: Cause,
    /// The hook, or on whose behalf it answers; set by the dispatch.
    pub by: Option<HookId>,
    /// On whose behalf the hook answers, if it runs something that others wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
}

/// Distinguishes "the policy said no" from "the hook could not answer".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// A hook decided.
    #[default]
    Policy,
    /// A hook that should have decided failed, and its `on_failure` is `deny`.
    CouldNotAnswer(FailureKind),
}

impl Denial {
    /// Creates a denial that a hook decided, with this reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self { reason: reason.into(), cause: Cause::Policy, by: None, attribution: None }
    }

    /// The denial for a hook that failed.
    pub(crate) fn could_not_answer(kind: FailureKind, hook: &HookId) -> Self {
        Self {
            cause: Cause::CouldNotAnswer(kind),
            by: Some(hook.clone()),
            ..Self::new(format!("the hook `{hook}` failed ({kind}); this is not a policy decision"))
        }
    }

    /// The denial of a hook that ends the turn.
    pub(crate) fn halted(halt: &Halt) -> Self {
        Self { by: halt.by.clone(), attribution: halt.attribution.clone(), ..Self::new(halt.reason.clone()) }
    }
}

conversions!(Denial {
    /// Creates a denial that a hook decided, with this reason.
    &str => |reason| Self::new(reason),
    /// Creates a denial that a hook decided, with this reason.
    String => |reason| Self::new(reason),
});

impl Question {
    /// Creates a question with this reason.
    pub fn new(reason: impl Into<Reason>) -> Self {
        Self {
            reason: reason.into(),
            risk: None,
            choices: Vec::new(),
            details: Value::Null,
            by: None,
            attribution: None,
            others: Vec::new(),
        }
    }

    /// The question as one of all that it is asked with, and whether each is deferred.
    pub(crate) fn into_all(mut self, deferred: bool) -> Vec<(Self, bool)> {
        let others = take(&mut self.others);
        [(self, deferred)].into_iter().chain(others).collect()
    }

    /// The choices, if they are not just yes and no.
    pub fn choices(mut self, choices: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }
}

setters!(Question {
    /// Sets the risk, in a word of the app.
    risk: impl Into<String> => Some,
    /// Sets further details for the person.
    details: impl Into<Value>,
});

/// A permission that asks this question.
impl From<Question> for Permission {
    fn from(question: Question) -> Self {
        Self::Ask(Box::new(question))
    }
}

impl From<()> for Permission {
    #[inline]
    fn from((): ()) -> Self {
        Self::NoOpinion
    }
}

// By hand, because the strongest answer has to keep what others ask.
impl Verdict for Permission {
    const SEMANTICS: Option<Semantics> = Some(Semantics::Gate);
    const MERGE_MAY_PANIC: bool = false;

    #[inline]
    fn merge(&mut self, mut later: Self) {
        if later.strength() > self.strength() {
            swap(self, &mut later);
        }
        if let Self::Ask(kept) | Self::Defer(kept) = self {
            kept.others.extend(later.into_questions());
        }
    }

    #[inline]
    fn is_final(&self) -> bool {
        matches!(self, Self::Deny(_))
    }

    #[inline]
    fn freezes_subject(&self) -> bool {
        matches!(self, Self::Ask(_) | Self::Defer(_))
    }

    #[inline]
    fn subject_changed(&mut self) -> bool {
        let lapses = matches!(self, Self::Allow | Self::Answer(_));
        if lapses {
            *self = Self::NoOpinion;
        }
        lapses
    }

    #[inline]
    fn attribute(&mut self, hook: &HookId) {
        match self {
            Self::Ask(question) | Self::Defer(question) => question.attribute(hook),
            Self::Deny(denial) => denial.attribute(hook),
            Self::NoOpinion | Self::Allow | Self::Answer(_) => {}
        }
    }

    fn attribution(&self) -> Option<&Arc<Attribution>> {
        match self {
            Self::Ask(question) | Self::Defer(question) => question.attribution.as_ref(),
            Self::Deny(denial) => denial.attribution.as_ref(),
            Self::NoOpinion | Self::Allow | Self::Answer(_) => None,
        }
    }

    fn from_denial(denial: Denial) -> Option<Self> {
        Some(Self::Deny(Box::new(denial)))
    }

    #[inline]
    fn is_silent(&self) -> bool {
        matches!(self, Self::NoOpinion)
    }

    fn summary(&self) -> Option<&'static str> {
        [None, Some("allow"), Some("answer"), Some("ask"), Some("defer"), Some("deny")][self.strength()]
    }
}

impl Permission {
    #[inline]
    fn strength(&self) -> usize {
        match self {
            Self::NoOpinion => 0,
            Self::Allow => 1,
            Self::Answer(_) => 2,
            Self::Ask(_) => 3,
            Self::Defer(_) => 4,
            Self::Deny(_) => 5,
        }
    }

    /// What gates ask, and whether they defer the call: first the question that is shown.
    pub(crate) fn into_questions(self) -> Vec<(Question, bool)> {
        match self {
            Self::Ask(question) => question.into_all(false),
            Self::Defer(question) => question.into_all(true),
            Self::NoOpinion | Self::Allow | Self::Answer(_) | Self::Deny(_) => Vec::new(),
        }
    }

    /// The call does not run, and `result` is its result, for example from a cache or for a dry run. Hooks after the
    /// call see it like a result of the tool.
    pub fn answer(result: ToolResult) -> Self {
        Self::Answer(Box::new(result))
    }

    /// A person must be asked first, for `reason`.
    pub fn ask(reason: impl Into<Reason>) -> Self {
        Self::Ask(Box::new(Question::new(reason)))
    }

    /// Somebody else decides later, for `reason`.
    pub fn defer(reason: impl Into<Reason>) -> Self {
        Self::Defer(Box::new(Question::new(reason)))
    }

    /// The call must not run, for `reason`.
    pub fn deny(reason: impl Into<Reason>) -> Self {
        Self::Deny(Box::new(Denial::new(reason)))
    }

    /// What the harness must do now: one of five decisions.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    /// use hook_sdk::verdict::Decision;
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

    /// The denial, if it is one. A harness should use [`decide`](Self::decide) instead: a verdict that is not a denial
    /// is not necessarily an allow.
    pub fn denial(&self) -> Option<&Denial> {
        match self {
            Self::Deny(denial) => Some(denial),
            _ => None,
        }
    }
}
