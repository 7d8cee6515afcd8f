//! What the hooks said about an event, before it is put into a host's words.

use serde_json::Value;

/// What the hooks said, merged.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HostVerdict {
    /// The decision.
    pub decision: HostDecision,
    /// The arguments of the call, all of them, if a hook changed one.
    pub input: Option<Value>,
    /// What stands in place of the tool's result: a text, or a value of the same form as the result.
    pub result: Option<Value>,
    /// Why arguments or result were changed.
    pub reason: Option<String>,
    /// Texts for the model.
    pub contexts: Vec<String>,
    /// Hooks that have failed, for the log.
    pub warnings: Vec<String>,
}

/// What the hooks decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostDecision {
    /// No opinion.
    #[default]
    NoOpinion,
    /// It may happen, and nobody need be asked.
    Allow,
    /// A person must be asked, for this reason.
    Ask(String),
    /// It must not happen, for this reason.
    Deny(String),
    /// The turn must not end yet; this is its next message.
    KeepGoing(String),
}

impl HostDecision {
    /// The word that most hosts have for it at a gate, and its reason.
    pub(crate) fn permission(&self) -> (Option<&'static str>, Option<&str>) {
        match self {
            Self::Deny(reason) => (Some("deny"), Some(reason)),
            Self::Ask(reason) => (Some("ask"), Some(reason)),
            Self::Allow => (Some("allow"), None),
            Self::NoOpinion | Self::KeepGoing(_) => (None, None),
        }
    }

    /// Why it must not happen.
    pub(crate) fn denied(&self) -> Option<&str> {
        if let Self::Deny(reason) = self { Some(reason) } else { None }
    }

    /// The next message of a turn that goes on.
    pub(crate) fn follow_up(&self) -> Option<&str> {
        if let Self::KeepGoing(reason) = self { Some(reason) } else { None }
    }

    /// The reason of a decision that needs one.
    pub(crate) fn reason(&mut self) -> Option<&mut String> {
        match self {
            Self::Ask(reason) | Self::Deny(reason) | Self::KeepGoing(reason) => Some(reason),
            Self::NoOpinion | Self::Allow => None,
        }
    }
}

impl HostVerdict {
    /// A denial.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::of(HostDecision::Deny(reason.into()))
    }

    /// Only a decision.
    pub fn of(decision: HostDecision) -> Self {
        Self { decision, ..Self::default() }
    }

    /// Replaces the arguments of the call.
    #[must_use]
    pub fn with_input(mut self, input: Value, reason: Option<String>) -> Self {
        self.input = Some(input);
        self.reason = reason;
        self
    }

    /// Replaces the result of the tool.
    #[must_use]
    pub fn with_result(mut self, result: Value, reason: Option<String>) -> Self {
        self.result = Some(result);
        self.reason = reason;
        self
    }

    /// Adds a text for the model.
    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.contexts.push(text.into());
        self
    }

    /// The texts for the model as one.
    pub(crate) fn context(&self) -> Option<String> {
        (!self.contexts.is_empty()).then(|| self.contexts.join("\n\n"))
    }

    /// The replacement of the result in the form that the tool's own has.
    pub(crate) fn shaped(&self, original: Option<&Value>) -> Option<Value> {
        Some(match (self.result.as_ref()?, original) {
            (Value::String(text), Some(original)) => crate::shape::replaced(original, text),
            (result, _) => result.clone(),
        })
    }

    /// The replacement of the result as a text.
    pub(crate) fn result_text(&self) -> Option<String> {
        self.result.as_ref().map(|result| match result {
            Value::String(text) => text.clone(),
            value => crate::shape::leaves(value).join("\n"),
        })
    }

    /// The same, with what is wrong with the result, where one text has to say both.
    pub(crate) fn result_and_reason(&self) -> Option<String> {
        let text = self.result_text()?;
        Some(match &self.decision {
            HostDecision::Deny(reason) if !text.contains(reason) => format!("{text}\n\n{reason}"),
            _ => text,
        })
    }
}
