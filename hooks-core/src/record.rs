//! What happened: failures, which every dispatch tells, and records, which are made where somebody listens.

use std::fmt;
use std::time::Duration;

mod ended;

use serde::{Deserialize, Serialize};

pub use ended::{Ended, OnEnd};

use crate::hook::{HookId, OnFailure, Visibility};
use crate::verdict::Contributions;

/// Error texts are cut at this many characters.
pub const CAUSE_LIMIT: usize = 512;

/// How a hook failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked: when called, when polled, or when something of it was dropped.
    Panicked,
    /// It was not done at its deadline.
    TimedOut,
    /// What it left broke a rule of the kind.
    Violation,
    /// It contributed something that its `capabilities` do not name.
    CapabilityMissing,
}

impl FailureKind {
    /// The code to search logs for.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Error => "hook.error",
            Self::Panicked => "hook.panicked",
            Self::TimedOut => "hook.timeout",
            Self::Violation => "hook.rule_broken",
            Self::CapabilityMissing => "hook.capability_missing",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Panicked => "panic",
            Self::TimedOut => "timeout",
            Self::Violation => "rule broken",
            Self::CapabilityMissing => "capability missing",
        })
    }
}

/// A hook that failed: its changes were dropped, and its `on_failure` said how to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The hook.
    pub hook: HookId,
    /// The kind that was fired.
    pub kind: &'static str,
    /// How it failed.
    pub failure: FailureKind,
    /// What it said, at most [`CAUSE_LIMIT`] characters.
    pub cause: String,
    /// What was done, unless its fallback answered.
    pub on_failure: OnFailure,
    /// Whether its fallback answered in its place.
    pub fell_back: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hook `{}` at `{}` failed ({}): {}", self.hook, self.kind, self.failure, self.cause)
    }
}

/// One dispatch with at least one selected hook. Holds no payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The kind.
    pub kind: &'static str,
    /// The agent, the conversation and the turn, as the context names them.
    pub agent: Option<String>,
    /// The conversation's id.
    pub conversation: Option<String>,
    /// The turn's number.
    pub turn: Option<u64>,
    /// One entry per hook of the scope at this kind, in the order of the plan, the disabled last.
    pub runs: Vec<Run>,
    /// The verdict of all, in a word.
    pub verdict: Option<&'static str>,
    /// Whether the subject was removed.
    pub removed: bool,
    /// From the first hook's start to the last one's end.
    pub duration: Duration,
}

/// One hook's part in a dispatch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// The hook.
    pub hook: HookId,
    /// How it ended.
    pub status: Status,
    /// How long it took; `None` where it did not run.
    pub duration: Option<Duration>,
    /// Whether its change of the subject was kept.
    pub changed: bool,
    /// What it decided, in a word.
    pub verdict: Option<&'static str>,
    /// Something that was set aside: an allow that no longer counts, a change of a frozen subject.
    pub note: Option<Note>,
    /// Why it failed, at most [`CAUSE_LIMIT`] characters.
    pub cause: Option<String>,
    /// Whom it concerns, as the hook says it; `internal` where it is disabled.
    pub visibility: Visibility,
}

/// How a hook's part in a dispatch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It ran to its end.
    Completed,
    /// It did not run.
    Skipped(Skip),
    /// It returned an error, or broke a rule of the kind.
    Failed,
    /// It was not done at its deadline.
    TimedOut,
    /// It panicked.
    Panicked,
    /// It was dropped, or its answer was, because an earlier one of its stage was final, or at the end of the program.
    Cancelled,
    /// It was started, and nobody waits for it; [`Observer::ended`] tells how it ended.
    Detached,
    /// It was given to the background; [`Observer::ended`] tells how it ended, where that happens in this process.
    Queued,
    /// It was not started, or not queued: as many as may be were already.
    Dropped,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::Skipped(Skip::Filter) => "skipped: its filter did not match",
            Self::Skipped(Skip::Disabled) => "skipped: disabled",
            Self::Skipped(Skip::Removed) => "skipped: the subject was removed",
            Self::Skipped(Skip::Decided) => "skipped: an earlier verdict is final",
            Self::Skipped(Skip::Aborted) => "skipped: the dispatch ended with an error",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Panicked => "panicked",
            Self::Cancelled => "cancelled",
            Self::Detached => "detached",
            Self::Queued => "queued",
            Self::Dropped => "dropped: there is no room for it",
        })
    }
}

/// Why a hook did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Skip {
    /// A pattern such as `tool = "cancel_*"` did not match.
    Filter,
    /// It is disabled.
    Disabled,
    /// An earlier hook removed the subject.
    Removed,
    /// An earlier verdict is final.
    Decided,
    /// An earlier required hook failed, or the turn was cancelled.
    Aborted,
}

/// Something that was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// Its allow was given before a later hook changed the subject, and counts no longer.
    AllowOutdated,
    /// It failed, and its fallback answered in its place.
    FallbackAnswered,
    /// Its change was dropped: an earlier hook had asked about the subject as it was.
    SubjectFrozen,
}

/// Listens to dispatches. Registered with [`Registry::observe`](crate::Registry::observe).
///
/// Called on the dispatching task after the last hook, so it should be quick. A panic in it goes no further.
pub trait Observer: Send + Sync + 'static {
    /// A dispatch with at least one selected hook has ended.
    fn dispatched(&self, record: &Record);

    /// A detached run, or an attempt at a background run, has ended. `contributions` are the audit notes and background
    /// jobs that it left; they stand beside the notice because no record holds payload.
    ///
    /// Called on the task of that run.
    fn ended(&self, ended: &Ended, contributions: &Contributions) {
        let _ = (ended, contributions);
    }
}

impl<F: Fn(&Record) + Send + Sync + 'static> Observer for F {
    fn dispatched(&self, record: &Record) {
        self(record);
    }
}

/// `text` cut at [`CAUSE_LIMIT`] characters, never within one.
pub(crate) fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CAUSE_LIMIT) {
        text.truncate(end);
    }
    text
}
