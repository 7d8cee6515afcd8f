//! Explains why a rule does or does not run for an occurrence, without running it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::rules::Rules;
use super::state::{ListedRule, RuleInfo};
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
        let skip_reasons =
            |rules| EventRules { shared: Arc::clone(self.shared()), event, rules }.skip_reasons(occurrence, tool);
        let standing =
            |one: &ListedRule| one.off.clone().or_else(|| state.is_disabled(&one.rule).then_some(SkipReason::Disabled));
        let standings: Vec<_> = state.rules.iter().map(standing).collect();
        let mut skips: Vec<Option<SkipReason>> = state
            .rules
            .iter()
            .zip(&standings)
            .map(|(one, standing)| {
                let is_of_event = one.rule.rule.event == event;
                if is_of_event { standing.clone() } else { Some(SkipReason::OtherEvent) }
            })
            .collect();
        // A rule that is off does not replace a duplicate. Of one that only waits for trust it is said what else is in its way.
        for waits in [None, Some(SkipReason::Untrusted)] {
            let these: Vec<usize> = (0..state.rules.len()).filter(|at| standings[*at] == waits).collect();
            let rules = these.iter().map(|at| Arc::clone(&state.rules[*at].rule)).collect();
            for (at, skip) in these.into_iter().zip(skip_reasons(rules)) {
                let never = event.spec().kind.is_none().then_some(SkipReason::NeverFired);
                skips[at] = skip.or_else(|| waits.clone()).or(never);
            }
        }
        let explained = state.rules.iter().zip(skips);
        explained.map(|(one, skip)| Explanation { rule: state.listed(&one.rule, one.off.as_ref()), skip }).collect()
    }
}
