//! Counts what each hook did, from the records of dispatches.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::record::{Record, Status};
use serde::Serialize;

use crate::trace;

/// The number of failure causes that are kept per hook.
const CAUSES: usize = 3;

/// The counts of a hook at a kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The hook's id.
    pub hook: String,
    /// The kind.
    pub kind: &'static str,
    /// The number of runs. Skipped hooks are not counted.
    pub runs: u64,
    /// The number of its changes that took effect.
    pub changes: u64,
    /// The number of times it denied.
    pub denials: u64,
    /// The number of times it asked.
    pub asks: u64,
    /// The number of failures: errors, panics, timeouts, and violations of the kind's rules.
    pub failures: u64,
    /// The total duration.
    #[serde(rename = "time_us", serialize_with = "crate::summary::micros")]
    pub time: Duration,
    /// The first few distinct causes of failures.
    pub causes: Vec<String>,
}

/// An observer that counts dispatches.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Vec<Row>>);

impl Tally {
    /// The rows. Kinds are in the order in which they were first fired, and hooks in the order of the plan.
    pub fn rows(&self) -> Vec<Row> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn add(&self, record: &Record) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for run in record.runs.iter().filter(|run| !trace::is_own(&run.hook)) {
            let found = rows.iter().position(|row| row.kind == record.kind && row.hook == run.hook.as_str());
            let at = found.unwrap_or_else(|| {
                // Keep the rows of a kind together.
                let last = rows.iter().rposition(|row| row.kind == record.kind);
                let at = last.map_or(rows.len(), |last| last + 1);
                rows.insert(at, Row { hook: run.hook.to_string(), kind: record.kind, ..Row::default() });
                at
            });
            let row = &mut rows[at];
            row.runs += u64::from(!matches!(run.status, Status::Skipped(_)));
            row.changes += u64::from(run.changed);
            row.denials += u64::from(run.verdict == Some("deny"));
            row.asks += u64::from(run.verdict == Some("ask"));
            row.time += run.duration.unwrap_or_default();
            if matches!(run.status, Status::Failed | Status::TimedOut | Status::Panicked) {
                row.failures += 1;
                let cause = format!("{}: {}", run.status, run.cause.as_deref().unwrap_or("no cause"));
                if row.causes.len() < CAUSES && !row.causes.contains(&cause) {
                    row.causes.push(cause);
                }
            }
        }
    }
}
