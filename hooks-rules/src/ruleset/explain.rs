//! Explains why a rule does or does not run for an occurrence, without running it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::rules::Rules;
use super::state::RuleInfo;
use crate::occurrence::Occurrence;
use crate::runner::{EventRules, SkipReason};

/// A rule, and whether it would run for an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The rule.
    pub rule: RuleInfo,
    /// What keeps it from running. `None` if it would run.
    pub skip: Option<SkipReason>,
}

impl Rules {
    /// Every rule, in the order of the files, with what keeps it from running for this occurrence. The rules without an
    /// obstacle are those that [`select`](Self::select) returns. For a tool call, `tool_name` can be the app's name or
    /// the name in rule files. Runs no rules.
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
    /// let why = rules.explain(&call)[0].skip.as_ref().unwrap().to_string();
    /// assert_eq!(why, "its `if` does not select this call: `Bash(git *)`");
    /// ```
    pub fn explain(&self, occurrence: &Occurrence) -> Vec<Explanation> {
        let state = self.state();
        let event = occurrence.event;
        let tool = occurrence.get("tool_name").and_then(Value::as_str);
        // A disabled rule does not replace a duplicate.
        let (on, off): (Vec<_>, Vec<_>) =
            (0..state.active.len()).partition(|at| !state.is_disabled(&state.active[*at]));
        let rules = on.iter().map(|at| Arc::clone(&state.active[*at])).collect();
        let mut skip = EventRules { shared: Arc::clone(self.shared()), event, rules }.skip_reasons(occurrence, tool);
        if event.spec().kind.is_none() {
            skip.iter_mut().filter(|why| why.is_none()).for_each(|why| *why = Some(SkipReason::NeverFired));
        }
        let disabled = off.into_iter().map(|at| {
            (
                at,
                Some(match &state.active[at].rule {
                    rule if rule.event != event => SkipReason::OtherEvent,
                    _ => SkipReason::Disabled,
                }),
            )
        });
        let mut explained: Vec<_> = on.into_iter().zip(skip).chain(disabled).collect();
        explained.sort_unstable_by_key(|(at, _)| *at);
        let rule = |at: usize| state.listed(&state.active[at]);
        explained.into_iter().map(|(at, skip)| Explanation { rule: rule(at), skip }).collect()
    }
}
