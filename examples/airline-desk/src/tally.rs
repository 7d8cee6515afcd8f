//! What each hook did, counted from the records of the dispatches.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_core::record::{Record, Status};
use serde::Serialize;

use crate::trace;

/// How many reasons of failures are kept per hook.
const CAUSES: usize = 3;

/// One hook at one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The hook's id.
    pub hook: String,
    /// The kind.
    pub kind: &'static str,
    /// How often it ran; where its filter did not match, it did not.
    pub runs: u64,
    /// How often its change was kept.
    pub changes: u64,
    /// How often it denied.
    pub denials: u64,
    /// How often it asked.
    pub asks: u64,
    /// How often it failed: error, panic, deadline, or a rule of the kind that it broke.
    pub failures: u64,
    /// All its runs together.
    #[serde(rename = "time_us", serialize_with = "crate::summary::micros")]
    pub time: Duration,
    /// Why it failed, each reason once, the first few.
    pub causes: Vec<String>,
}

/// Listens to the dispatches of a desk.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Vec<Row>>);

impl Tally {
    /// The rows, in the order in which the kinds were first fired, and within one in the order of the plan.
    pub fn rows(&self) -> Vec<Row> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn add(&self, record: &Record) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for run in record.runs.iter().filter(|run| !trace::is_own(&run.hook)) {
            let found = rows.iter().position(|row| row.kind == record.kind && row.hook == run.hook.as_str());
            let at = found.unwrap_or_else(|| {
                // Kinds stay together, also where a hook of one is first seen later.
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
