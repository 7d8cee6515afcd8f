use std::fmt;

use super::report::{RuleRun, RunOutcome};
use crate::answer::{Answer, Decision};

/// Rules that failed where no other decided anything: the hook that carries them has failed, and its record says so. The
/// event goes on, since a rule that is to block said `"onFailure": "block"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulesFailed(String);

impl fmt::Display for RulesFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RulesFailed {}

impl RulesFailed {
    /// The failures of these runs, where the answer says nothing.
    pub(super) fn of(runs: &[RuleRun], answer: &Answer) -> Option<Self> {
        let failures: Vec<String> = failures(runs).collect();
        (!failures.is_empty() && says_nothing(answer)).then(|| Self(failures.join("; ")))
    }
}

/// Each failure with the rule that it is of.
fn failures(runs: &[RuleRun]) -> impl Iterator<Item = String> {
    runs.iter().filter(|run| run.outcome == RunOutcome::Failed).map(|run| {
        let why = run.failure.as_deref().unwrap_or_default();
        format!("{} ({}:{}): {why}", run.rule, run.file.display(), run.line)
    })
}

/// What the person is told of failures: nothing else would show that a guard does not guard.
pub(super) fn notices(runs: &[RuleRun]) -> impl Iterator<Item = String> {
    let event = runs.first().map(|run| run.event);
    failures(runs).map(move |failure| format!("{} hook error: {failure}", event.map_or("", |event| event.as_str())))
}

fn says_nothing(answer: &Answer) -> bool {
    let Answer { decision, stop, contexts, messages, for_the_model, updated_input, updated_output, members, .. } =
        answer;
    *decision == Decision::None
        && stop.is_none()
        && contexts.is_empty()
        && messages.is_empty()
        && for_the_model.is_empty()
        && updated_input.is_none()
        && updated_output.is_none()
        && members.is_empty()
}
