//! The figures of a run.

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::hooks::watch::Counts;
use crate::tally::Row;

/// What was carried through the hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// Conversations.
    pub conversations: u64,
    /// Messages that were read.
    pub messages_in: u64,
    /// Messages that were stored; always as many.
    pub messages_out: u64,
    /// Tool calls.
    pub calls: u64,
    /// Calls that did not run; their results are replaced by the reason.
    pub refused: u64,
    /// Calls that a gate asked about and that were answered with yes.
    pub approved: u64,
    /// Results that a hook removed; a placeholder keeps their place.
    pub removed: u64,
    /// Texts that were put beside prompts.
    pub contexts: u64,
    /// Messages that were left out of what the model would read, summed over the turns.
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

/// A line that is no conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: String,
}

/// All of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// What was carried through.
    #[serde(flatten)]
    pub totals: Totals,
    /// What was not.
    pub skipped: Vec<Skipped>,
    /// What each hook did.
    pub hooks: Vec<Row>,
    /// What the hooks counted.
    pub metrics: Counts,
    /// How long it took, reading and writing included.
    #[serde(rename = "time_us", serialize_with = "micros")]
    pub time: Duration,
}

/// A time as a whole number of microseconds, which every reader of JSON understands.
pub(crate) fn micros<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}
