//! The combined answer in a word, whatever the kind's verdict looks like.

use hooks_core::JsonFired;
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;

/// What comes of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// It goes on as if there were no rules.
    GoOn,
    /// A rule allows it.
    Allow,
    /// A person is to be asked.
    Ask,
    /// It is to be decided elsewhere.
    Defer,
    /// The call or the compaction is refused.
    Deny,
    /// The prompt is refused, or the answer replaced by an error.
    Block,
    /// The prompt is not answered, and the turn ends.
    Stop,
    /// The turn does not end: the model is called again.
    Continue,
    /// The turn ends now, whatever other rules want.
    End,
    /// The turn ends after this.
    Halt,
}

impl Outcome {
    /// Reads what a dispatch came to, with the reason.
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

    pub(super) fn exit(self) -> Exit {
        match self {
            Self::GoOn | Self::Allow | Self::End => Exit::DONE,
            Self::Ask | Self::Defer => Exit::UNDECIDED,
            Self::Deny | Self::Block | Self::Stop | Self::Continue | Self::Halt => Exit::REFUSED,
        }
    }

    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::GoOn => "goes on",
            Self::Allow => "allowed",
            Self::Ask => "a person is to be asked",
            Self::Defer => "to be decided elsewhere",
            Self::Deny => "denied",
            Self::Block => "blocked",
            Self::Stop => "stopped",
            Self::Continue => "the turn goes on",
            Self::End => "the turn ends now",
            Self::Halt => "the turn ends after this",
        }
    }
}
