//! Why a rule runs for an occurrence, or does not. Runs nothing.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{Firing, Listed, Rules};
use crate::rule::RuleId;
use crate::stdin::Occurrence;

/// A rule, and whether it would run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explained {
    /// The rule.
    pub rule: Listed,
    /// What keeps it from running; `None` where it would run.
    pub kept_out: Option<KeptOut>,
}

/// What keeps a rule from running for an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
#[non_exhaustive]
pub enum KeptOut {
    /// It is a rule of another event.
    OtherEvent,
    /// Nothing here fires its event.
    NeverFired,
    /// Somebody disabled it.
    Disabled,
    /// It was to run once, and has.
    Spent,
    /// Its matcher does not select the occurrence.
    Matcher {
        /// What the matcher was held against: every name of a tool, or the one value.
        against: Vec<String>,
    },
    /// Its `if` does not select the call.
    Filter {
        /// The `if`.
        filter: String,
    },
    /// Another rule says the same, and runs.
    SameAs {
        /// That rule.
        rule: RuleId,
    },
}

impl fmt::Display for KeptOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherEvent => f.write_str("it is a rule of another event"),
            Self::NeverFired => f.write_str("nothing here fires its event"),
            Self::Disabled => f.write_str("it is disabled"),
            Self::Spent => f.write_str("it was to run once, and has"),
            Self::Matcher { against } if against.is_empty() => {
                f.write_str("its matcher selects by a value, and there is none here")
            }
            Self::Matcher { against } => write!(f, "its matcher does not select `{}`", against.join("` or `")),
            Self::Filter { filter } => write!(f, "its `if` does not select this call: `{filter}`"),
            Self::SameAs { rule } => write!(f, "it says the same as {rule}, which runs"),
        }
    }
}

impl Rules {
    /// Every rule, in the order of the files, and what keeps it from running for this occurrence. Those without are what
    /// [`select`](Self::select) gives. Where a tool is called, `tool_name` of the occurrence may be its name here or on the
    /// wire. Runs nothing.
    ///
    /// ```
    /// use hooks_rules::{Event, Occurrence, Rules};
    ///
    /// let text = r#"{"hooks": {"PreToolUse": [
    ///     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh", "if": "Bash(git *)"}]}
    /// ]}}"#;
    /// let rules = Rules::builder().text("hooks.json", text).build();
    /// let mut call = Occurrence::new(Event::PreToolUse);
    /// call.set("tool_name", "Bash").set("tool_input", serde_json::json!({"command": "ls"}));
    /// let why = rules.explain(&call)[0].kept_out.as_ref().unwrap().to_string();
    /// assert_eq!(why, "its `if` does not select this call: `Bash(git *)`");
    /// ```
    pub fn explain(&self, occurrence: &Occurrence) -> Vec<Explained> {
        let state = self.state();
        let event = occurrence.event;
        let tool = occurrence.get("tool_name").and_then(Value::as_str);
        let firing = Firing { shared: Arc::clone(self.shared()), event, rules: Vec::new() };
        let mut seen = std::collections::HashMap::new();
        let explained = state.armed.iter().map(|armed| {
            let kept_out = if armed.rule.event != event {
                Some(KeptOut::OtherEvent)
            } else if armed.rule.event.spec().kind.is_none() {
                Some(KeptOut::NeverFired)
            } else if !state.runs(armed) {
                Some(KeptOut::Disabled)
            } else {
                firing.kept_out(armed, occurrence, tool, &mut seen)
            };
            Explained { rule: state.listed(armed), kept_out }
        });
        explained.collect()
    }
}
