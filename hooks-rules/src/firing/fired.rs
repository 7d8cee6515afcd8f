//! What came of an event for all its rules together, as one value for logs and traces.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::report::{RuleRun, RunOutcome};
use crate::answer::Answer;
use crate::event::Event;
use crate::rule::RuleSource;
use crate::stdin::Occurrence;

/// An event for which rules ran, and what they came to together. There is one where at least one rule was selected, and none
/// otherwise. Beside the reason of a decision it holds nothing of what was given to rules or said by them.
///
/// ```
/// use hooks_rules::Rules;
///
/// let rules = Rules::builder()
///     .settings("hooks.json")
///     .on_fired(|fired| println!("{}", serde_json::to_string(fired).unwrap_or_default()))
///     .build();
/// # let _ = rules;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RulesFired {
    /// The event.
    pub event: Event,
    /// The session.
    pub session: String,
    /// The rules that were selected, in the order of the files.
    pub matched: Vec<RuleSource>,
    /// `allow`, `deny`, `ask`, `defer`, `feedback`, `continue`, `stop` where the turn ends, or `none`; at the end of a turn also
    /// `continue_at_max_iter` and `reentry_capped`, where rules would go on and may not.
    pub outcome: &'static str,
    /// Why, where a decision has a reason.
    pub reason: Option<String>,
    /// The rule whose decision it is.
    pub decided_by: Option<RuleSource>,
    /// How many contexts were added for the model.
    pub contexts: usize,
    /// Whether these are kept from the person.
    pub suppress_output: bool,
    /// Whether the tool's input or output was replaced.
    pub rewrote: bool,
    /// How many rules failed.
    pub failures: usize,
    /// What else there is to say of the event, in the words of the wire: `tool_name`, `trigger`, `compaction_type`, `source`,
    /// `reason`, `turn_end_reason`, `at_max_iter`.
    pub details: Map<String, Value>,
}

/// Called once for each event for which rules ran.
pub(crate) type FiredListener = Arc<dyn Fn(&RulesFired) + Send + Sync>;

/// The fields of an occurrence that say nothing of the conversation.
const DETAILS: &[&str] = &[
    "tool_name",
    "trigger",
    "compaction_type",
    "source",
    "turn_end_reason",
    "at_max_iter",
    "stop_hook_active",
    "error",
];

impl RulesFired {
    pub(super) fn new(occurrence: &Occurrence, runs: &[RuleRun], answer: &Answer) -> Self {
        let of_the_end = (occurrence.event == Event::SessionEnd).then_some("reason");
        let detail = |name: &&str| Some(((*name).to_owned(), occurrence.known(name)?.clone()));
        Self {
            event: occurrence.event,
            session: occurrence.session.clone(),
            matched: runs.iter().map(RuleRun::source).collect(),
            outcome: if answer.stop.is_some() { "stop" } else { answer.decision.as_str().unwrap_or("none") },
            reason: answer.stop.clone().or_else(|| answer.decision.reason().map(str::to_owned)),
            decided_by: answer.by.clone(),
            contexts: answer.contexts.len(),
            suppress_output: answer.suppress_output,
            rewrote: answer.updated_input.is_some() || answer.updated_output.is_some(),
            failures: runs.iter().filter(|run| run.outcome == RunOutcome::Failed).count(),
            details: DETAILS.iter().chain(&of_the_end).filter_map(detail).collect(),
        }
    }
}
