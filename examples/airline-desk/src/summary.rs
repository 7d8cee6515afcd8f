//! The figures of a run.

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::hooks::watch::Counts;
use crate::tally::Row;

/// The totals of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// Replayed conversations.
    pub conversations: u64,
    /// Messages that were read.
    pub messages_in: u64,
    /// Messages that were stored. Always as many as were read.
    pub messages_out: u64,
    /// Tool calls.
    pub calls: u64,
    /// Calls that were not run. Their results contain the reason.
    pub refused: u64,
    /// Calls that were approved after a gate asked.
    pub approved: u64,
    /// Results that a hook removed. A placeholder replaces them.
    pub removed: u64,
    /// Contexts that hooks added to prompts.
    pub contexts: u64,
    /// Messages that hooks removed from the model's input, summed over the turns.
    pub left_out: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.messages_in += other.messages_in;
        self.messages_out += other.messages_out;
        self.calls += other.calls;
        self.refused += other.refused;
        self.approved += other.approved;
        self.removed += other.removed;
        self.contexts += other.contexts;
        self.left_out += other.left_out;
    }
}

/// A line that is not a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// Its number, starting at 1.
    pub line: u64,
    /// The problem.
    pub problem: String,
}

/// The summary of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The totals.
    #[serde(flatten)]
    pub totals: Totals,
    /// The skipped lines.
    pub skipped: Vec<Skipped>,
    /// The counts per hook.
    pub hooks: Vec<Row>,
    /// The metrics that the hooks collected.
    pub metrics: Counts,
    /// The duration, including reading and writing.
    #[serde(rename = "time_us", serialize_with = "micros")]
    pub time: Duration,
}

/// Serialises a duration as a whole number of microseconds.
pub(crate) fn micros<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
