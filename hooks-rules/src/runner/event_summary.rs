//! The combined result of all rules of an event, for logs and traces.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::report::{RuleRun, RunOutcome};
use crate::answer::Answer;
use crate::event::Event;
use crate::occurrence::Occurrence;
use crate::rule::RuleSource;

/// An event for which at least one rule was selected, and the combined result. Except for the reason of the decision,
/// it contains no input or output of rules.
///
/// ```
/// use hooks_rules::Rules;
///
/// let rules = Rules::builder()
///     .settings("hooks.json")
///     .on_summary(|fired| println!("{}", serde_json::to_string(fired).unwrap_or_default()))
///     .build();
/// # let _ = rules;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EventSummary {
    /// The event.
    pub event: Event,
    /// The session.
    pub session: String,
    /// The rules that were selected, in the order of the files.
    pub matched: Vec<RuleSource>,
    /// `allow`, `deny`, `ask`, `defer`, `feedback`, `continue`, `stop` if the turn ends, or `none`. At the end of a
    /// turn also `continue_at_max_iter` and `reentry_capped`, if rules wanted to continue but a limit was reached.
    pub outcome: &'static str,
    /// The reason of the decision, if it has one.
    pub reason: Option<String>,
    /// The rule that decided.
    pub decided_by: Option<RuleSource>,
    /// The number of contexts for the model.
    pub contexts: usize,
    /// Whether the contexts are hidden from the person.
    pub suppress_output: bool,
    /// Whether the tool's input or output was replaced.
    pub rewrote: bool,
    /// How many rules failed.
    pub failures: usize,
    /// Further fields of the event, named as on stdin: `tool_name`, `trigger`, `compaction_type`, `source`, `reason`,
    /// `turn_end_reason`, `at_max_iter`.
    pub details: Map<String, Value>,
}

/// Called once for each event for which rules ran.
pub(crate) type SummaryListener = Arc<dyn Fn(&EventSummary) + Send + Sync>;

/// The fields of an occurrence that contain nothing of the conversation.
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

impl EventSummary {
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
