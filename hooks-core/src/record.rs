//! Records of dispatches and their observers.

mod run_end;
mod trace;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

pub use run_end::{OnEnd, RunEnd};
pub use trace::{RunTrace, Trace};

use crate::context::Ids;
pub use crate::failure::{Failure, FailureKind};
use crate::id::HookId;
use crate::options::Visibility;
use crate::panics::catch;
pub use crate::text::{redacted, set_redactor};
use crate::verdict::{Attribution, ContributionId, Contributions};

/// The record of one dispatch of a kind with hooks in force. Contains no payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The kind.
    pub kind: &'static str,
    /// The ids of the dispatch, from the context.
    #[serde(flatten)]
    pub ids: Arc<Ids>,
    /// One entry per hook of the scope at this kind, in plan order; disabled hooks come last.
    pub runs: Vec<Run>,
    /// The merged verdict, as a word.
    pub verdict: Option<&'static str>,
    /// Whether the subject was removed.
    pub removed: bool,
    /// Whether the dispatch's future was dropped before its end.
    pub dropped: bool,
    /// The time from the first hook's start to the last one's end.
    pub duration: Duration,
}

impl Record {
    /// Whether a hook was selected: one whose filter matched and that was not disabled.
    pub fn is_selected(&self) -> bool {
        self.runs.iter().any(|run| !matches!(run.status, Status::Skipped(Skip::Filter | Skip::Disabled)))
    }

    /// Passes the record to the observers.
    pub(crate) fn report(&self, observers: &[Arc<dyn Observer>]) {
        tracing::debug!(
            target: "hook_sdk::dispatch",
            kind = self.kind, runs = self.runs.len(), verdict = self.verdict, removed = self.removed,
            dropped = self.dropped, duration = ?self.duration, "dispatched",
        );
        tell(self.kind, observers, |observer| observer.dispatched(self));
    }
}

/// Tells something about `kind` to each observer. A panic of one does not keep it from the others.
pub(crate) fn tell(kind: &str, observers: &[Arc<dyn Observer>], what: impl Fn(&dyn Observer)) {
    for observer in observers {
        if let Err(panic) = catch(|| what(&**observer)) {
            tracing::error!(target: "hook_sdk", kind, panic = redacted(&panic), "an observer panicked");
        }
    }
}

/// One hook's part in a dispatch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// The hook.
    pub hook: HookId,
    /// How the run ended.
    pub status: Status,
    /// The duration; `None` if the hook did not run.
    pub duration: Option<Duration>,
    /// Whether its change of the subject was kept.
    pub changed: bool,
    /// Its verdict, as a word.
    pub verdict: Option<&'static str>,
    /// On whose behalf it answers, if it runs something that others wrote, for example a rule of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Arc<Attribution>>,
    /// Its contributions, each with a fingerprint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributed: Vec<ContributionId>,
    /// Something that was discarded, or an answer without effect.
    pub note: Option<Note>,
    /// The cause of a failure, at most 512 characters.
    pub cause: Option<String>,
    /// The visibility of the hook; `internal` if it is disabled.
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
    /// The hook completed.
    Completed,
    /// The hook did not run.
    Skipped(Skip),
    /// The hook returned an error, or its change broke a rule of the kind.
    Failed,
    /// The hook exceeded its timeout.
    TimedOut,
    /// The hook panicked.
    Panicked,
    /// The hook or its answer was dropped: an earlier hook of its stage gave a final verdict, or the program ended.
    Cancelled,
    /// The hook was started as a detached run; [`Observer::ended`] reports its end.
    Detached,
    /// The hook was queued as a job; [`Observer::ended`] reports its end if the job runs in this process.
    Queued,
    /// The hook was not started or queued, because a limit was reached or the registry was
    /// drained.
    Dropped,
}

impl From<FailureKind> for Status {
    fn from(failure: FailureKind) -> Self {
        match failure {
            FailureKind::Panicked => Self::Panicked,
            FailureKind::TimedOut => Self::TimedOut,
            FailureKind::Error | FailureKind::Violation | FailureKind::CapabilityMissing => Self::Failed,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::Skipped(Skip::Filter) => "skipped: its filter did not match",
            Self::Skipped(Skip::Disabled) => "skipped: disabled",
            Self::Skipped(Skip::Replay) => "skipped: not run in a replay",
            Self::Skipped(Skip::Removed) => "skipped: the subject was removed",
            Self::Skipped(Skip::Decided) => "skipped: an earlier verdict is final",
            Self::Skipped(Skip::Aborted) => "skipped: the dispatch ended with an error",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Panicked => "panicked",
            Self::Cancelled => "cancelled",
            Self::Detached => "detached",
            Self::Queued => "queued",
            Self::Dropped => "dropped: not started or queued",
        })
    }
}

/// Why a hook did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Skip {
    /// A filter such as `tool = "cancel_*"` did not match, or the hook returned
    /// [`NotSelected`](crate::hook::NotSelected).
    Filter,
    /// The hook is disabled.
    Disabled,
    /// The dispatch is a replay, and the hook is detached, background or
    /// [`OnReplay::Skip`](crate::hook::OnReplay::Skip): see
    /// [`HookContextBuilder::replay`](crate::context::HookContextBuilder::replay).
    Replay,
    /// An earlier hook removed the subject.
    Removed,
    /// An earlier verdict is final.
    Decided,
    /// An earlier required hook failed, or the turn was cancelled.
    Aborted,
}

/// Something that was discarded, or an answer without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// The hook's allow was discarded, because a later hook changed the subject.
    AllowOutdated,
    /// The hook failed, and its fallback answered instead.
    FallbackAnswered,
    /// The hook is in shadow mode: its verdict, changes and failures have no effect.
    Shadow,
    /// The hook's change was dropped, because an earlier hook had asked about the unchanged subject.
    SubjectFrozen,
}

/// Observes dispatches. Register it with [`Registry::observe`](crate::Registry::observe).
///
/// It is called on the dispatching task after the last hook, so it should be fast. A panic in it is contained.
pub trait Observer: Send + Sync + 'static {
    /// A hook is about to run. For a hook that never returns, this is the only notice. Called before each run of a
    /// dispatch, except for fallbacks, and before a detached or background run is started.
    fn starts(&self, kind: &'static str, hook: &HookId, ids: &Arc<Ids>) {
        let _ = (kind, hook, ids);
    }

    /// A dispatch of a kind that has hooks in force has ended, or its future was dropped.
    fn dispatched(&self, record: &Record);

    /// Whether the observer also receives the payload of each dispatch. It is asked for each dispatch; if no observer
    /// wants the payload, it is not serialized.
    fn traces(&self) -> bool {
        false
    }

    /// A dispatch has ended; called with its payload after [`dispatched`](Self::dispatched), for kinds that can be
    /// serialized as JSON. A dispatch whose future was dropped has a record but no trace.
    fn traced(&self, trace: &Trace) {
        let _ = trace;
    }

    /// A detached run, or an attempt of a background run, has ended. `contributions` are its audit notes and background
    /// jobs; they are not part of the notice, because records contain no payload.
    ///
    /// Called on the task of that run.
    fn ended(&self, ended: &RunEnd, contributions: &Contributions) {
        let _ = (ended, contributions);
    }
}

impl<F: Fn(&Record) + Send + Sync + 'static> Observer for F {
    fn dispatched(&self, record: &Record) {
        self(record);
    }
}
