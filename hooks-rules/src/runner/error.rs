use std::fmt;

use super::report::{RuleRun, RunOutcome};
use crate::answer::{Answer, RuleDecision};

/// Rules failed and no other rule decided. It is the error of the hook that runs the rules, so that its record shows
/// the failure. The event continues: a rule that has to block on failure sets `"onFailure": "block"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulesError(String);

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RulesError {}

impl RulesError {
    /// The failures of these runs, unless the answer contains a decision.
    pub(super) fn of(runs: &[RuleRun], answer: &Answer) -> Option<Self> {
        let failures: Vec<String> = failures(runs).collect();
        (!failures.is_empty() && says_nothing(answer)).then(|| Self(failures.join("; ")))
    }
}

/// Each failure, with its rule.
fn failures(runs: &[RuleRun]) -> impl Iterator<Item = String> {
    runs.iter().filter(|run| run.outcome == RunOutcome::Failed).map(|run| {
        let why = run.failure.as_deref().unwrap_or_default();
        format!("{} ({}:{}): {why}", run.rule, run.file.display(), run.line)
    })
}

/// The messages for the person about failures. Without them, nobody would notice that a guard does not work.
pub(super) fn notices(runs: &[RuleRun]) -> impl Iterator<Item = String> {
    let event = runs.first().map(|run| run.event);
    failures(runs).map(move |failure| format!("{} hook error: {failure}", event.map_or("", |event| event.as_str())))
}

fn says_nothing(answer: &Answer) -> bool {
    let Answer {
        decision,
        stop,
        contexts,
        messages,
        for_the_model,
        updated_input,
        updated_output,
        withheld,
        members,
        ..
    } = answer;
    *decision == RuleDecision::None
        && stop.is_none()
        && contexts.is_empty()
        && messages.is_empty()
        && for_the_model.is_empty()
        && updated_input.is_none()
        && updated_output.is_none()
        && withheld.is_none()
        && members.is_empty()
}
