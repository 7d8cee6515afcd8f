//! What happened: failures, which every dispatch tells, and records, which are made where somebody listens.

mod ended;
mod trace;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

pub use ended::{Ended, OnEnd};
pub use trace::{Trace, TracedRun};

use crate::context::Ids;
pub use crate::failure::{CAUSE_LIMIT, Failure, FailureKind};
use crate::id::HookId;
use crate::options::Visibility;
use crate::panics::catch;
use crate::text::redacted;
use crate::verdict::{Attribution, ContributionId, Contributions};

/// One dispatch of a kind that has hooks in force. Holds no payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The kind.
    pub kind: &'static str,
    /// Where it happened, as the context has it.
    #[serde(flatten)]
    pub ids: Arc<Ids>,
    /// One entry per hook of the scope at this kind, in the order of the plan, the disabled last.
    pub runs: Vec<Run>,
    /// The verdict of all, in a word.
    pub verdict: Option<&'static str>,
    /// Whether the subject was removed.
    pub removed: bool,
    /// Whether the dispatch's future was dropped before its end.
    pub dropped: bool,
    /// From the first hook's start to the last one's end.
    pub duration: Duration,
}

impl Record {
    /// Whether a hook was selected: one whose filter matched and that was not disabled.
    pub fn is_selected(&self) -> bool {
        self.runs.iter().any(|run| !matches!(run.status, Status::Skipped(Skip::Filter | Skip::Disabled)))
    }

    /// Gives it to those who listen.
    pub(crate) fn tell(&self, observers: &[Arc<dyn Observer>]) {
        tracing::debug!(
            target: "hooks_core::dispatch",
            kind = self.kind, runs = self.runs.len(), verdict = self.verdict, removed = self.removed,
            dropped = self.dropped, duration = ?self.duration, "dispatched",
        );
        for observer in observers {
            if let Err(panic) = catch(|| observer.dispatched(self)) {
                tracing::error!(target: "hooks_core", kind = self.kind, panic = redacted(&panic), "an observer panicked");
            }
        }
    }
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
    /// Who it answers for, where it carries what others wrote: the rule of a file, say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
    /// What it contributed, each with a fingerprint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributed: Vec<ContributionId>,
    /// Something that was set aside: an allow that no longer counts, a change of a frozen subject.
    pub note: Option<Note>,
    /// Why it failed, at most [`CAUSE_LIMIT`] characters.
    pub cause: Option<String>,
    /// Whom it concerns, as the hook says it; `internal` where it is disabled.
    pub visibility: Visibility,
}

impl Run {
    /// A hook that did not run.
    pub(crate) fn skipped(hook: &HookId, skip: Skip, visibility: Visibility) -> Self {
        Self {
            hook: hook.clone(),
            status: Status::Skipped(skip),
            duration: None,
            changed: false,
            verdict: None,
            attribution: None,
            contributed: Vec::new(),
            note: None,
            cause: None,
            visibility,
        }
    }
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
            Self::Skipped(Skip::Replay) => "skipped: a replay leaves it out",
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
    /// A pattern such as `tool = "cancel_*"` did not match, or the hook found that the event is not for it
    /// ([`NotSelected`](crate::hook::NotSelected)).
    Filter,
    /// It is disabled.
    Disabled,
    /// The dispatch is a replay, and no dispatch waits for it, or it says [`OnReplay::Skip`](crate::hook::OnReplay::Skip): see
    /// [`HookContextBuilder::replay`](crate::context::HookContextBuilder::replay).
    Replay,
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
    /// It runs in shadow: what it decided, changed or failed at does not count.
    Shadow,
    /// Its change was dropped: an earlier hook had asked about the subject as it was.
    SubjectFrozen,
}

/// Listens to dispatches. Registered with [`Registry::observe`](crate::Registry::observe).
///
/// Called on the dispatching task after the last hook, so it should be quick. A panic in it goes no further.
pub trait Observer: Send + Sync + 'static {
    /// A hook is about to run: the notice that stays of one that never comes back. Called before each run that a dispatch makes,
    /// fallbacks aside, and before a run is handed on that no dispatch waits for.
    fn starts(&self, kind: &'static str, hook: &HookId, ids: &Arc<Ids>) {
        let _ = (kind, hook, ids);
    }

    /// A dispatch of a kind that has hooks in force has ended, or its future was dropped.
    fn dispatched(&self, record: &Record);

    /// Whether it is given the payload of each dispatch too. Asked at each one; where nobody says yes, none is written.
    fn traces(&self) -> bool {
        false
    }

    /// A dispatch has ended, with its payload; called after [`dispatched`](Self::dispatched), for kinds that can be written
    /// as JSON. A dispatch whose future was dropped has a record and no trace.
    fn traced(&self, trace: &Trace) {
        let _ = trace;
    }

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
