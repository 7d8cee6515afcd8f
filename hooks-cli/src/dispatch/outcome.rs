//! The combined answer as one of a few outcomes, for all kinds.

use hook_sdk::JsonFired;
use hooks_rules::{Answer, Event, RuleDecision};
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;

/// The outcome of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Nothing was decided.
    GoOn,
    /// A rule allows it.
    Allow,
    /// A person has to be asked.
    Ask,
    /// The decision is made elsewhere.
    Defer,
    /// The call or the compaction is denied.
    Deny,
    /// The prompt is rejected, or the answer is replaced by an error.
    Block,
    /// The prompt is not answered, and the turn ends.
    Stop,
    /// The turn continues: the model is called again.
    Continue,
    /// The turn ends now, even if other rules want to continue.
    End,
    /// The turn ends after this event.
    Halt,
}

impl Outcome {
    /// The outcome of a dispatch, with the reason.
    pub(super) fn of(fired: &JsonFired) -> (Self, Option<String>) {
        if let Some(halt) = &fired.report.halt {
            return (Self::Halt, Some(halt.reason.to_string()));
        }
        let verdict = &fired.verdict;
        let reason = verdict.get("reason").and_then(Value::as_str).map(str::to_owned);
        let word = match verdict.get("permission").or_else(|| verdict.get("decision")) {
            Some(Value::String(word)) => (word.as_str(), reason),
            Some(Value::Object(decision)) => match decision.iter().next() {
                Some((word, reason)) => (word.as_str(), reason.as_str().map(str::to_owned)),
                None => return (Self::GoOn, None),
            },
            _ => return (Self::GoOn, None),
        };
        let outcome = match word.0 {
            "allow" => Self::Allow,
            "ask" => Self::Ask,
            "defer" => Self::Defer,
            "deny" => Self::Deny,
            "block" => Self::Block,
            "stop" => Self::Stop,
            "continue" => Self::Continue,
            "end" => Self::End,
            _ => Self::GoOn,
        };
        (outcome, word.1)
    }

    /// The outcome of an event that no kind carries.
    pub(super) fn of_answer(event: Event, answer: &Answer) -> (Self, Option<String>) {
        if let Some(reason) = &answer.stop {
            return (Self::Halt, Some(reason.clone()));
        }
        let (outcome, reason) = match &answer.decision {
            RuleDecision::Deny(reason) => (Self::Deny, reason),
            RuleDecision::Continue(reason) => (Self::Continue, reason),
            RuleDecision::Allow(reason) => (Self::Allow, reason),
            RuleDecision::Ask(reason) => (Self::Ask, reason),
            RuleDecision::Defer(reason) => (Self::Defer, reason),
            RuleDecision::Feedback(reason) => (Self::GoOn, reason),
            _ => return (Self::GoOn, None),
        };
        let outcome = if event == Event::UserPromptExpansion && outcome == Self::Deny { Self::Block } else { outcome };
        (outcome, Some(reason.clone()).filter(|reason| !reason.is_empty()))
    }

    pub(super) fn exit(self) -> Exit {
        match self {
            Self::GoOn | Self::Allow | Self::End => Exit::SUCCESS,
            Self::Ask | Self::Defer => Exit::UNDECIDED,
            Self::Deny | Self::Block | Self::Stop | Self::Continue | Self::Halt => Exit::DENIED,
        }
    }

    /// The outcome in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::GoOn => "continues",
            Self::Allow => "allowed",
            Self::Ask => "a person has to be asked",
            Self::Defer => "decided elsewhere",
            Self::Deny => "denied",
            Self::Block => "blocked",
            Self::Stop => "stopped",
            Self::Continue => "the turn continues",
            Self::End => "the turn ends now",
            Self::Halt => "the turn ends after this",
        }
    }
}
