//! What a record says about a run, in words.

use hook_sdk::HookId;
use hook_sdk::record::{Note, Record, Run, Status};

use crate::run;

pub(crate) fn has_run(run: &Run) -> bool {
    !matches!(run.status, Status::Skipped(_))
}

/// Why a run failed, as a word.
pub(crate) fn error(status: Status) -> Option<&'static str> {
    Some(match status {
        Status::Failed => "failed",
        Status::TimedOut => "timed_out",
        Status::Panicked => "panicked",
        Status::Dropped => "dropped",
        _ => return None,
    })
}

/// The word of a status, as it is serialized.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Completed => "completed",
        Status::Cancelled => "cancelled",
        Status::Detached => "detached",
        Status::Queued => "queued",
        Status::Skipped(_) => "skipped",
        other => error(other).unwrap_or("other"),
    }
}

/// The hook that removed the subject.
pub(crate) fn remover(record: &Record) -> Option<&HookId> {
    let runs = record.runs.iter().map(|run| (&run.hook, status(run.status)));
    record.removed.then(|| run::remover(runs)).flatten()
}

/// Whether a run gets a span of its own. `changed`: it changed or removed the subject.
pub(crate) fn is_told(run: &Run, kind: &str, changed: bool) -> bool {
    if !has_run(run) || matches!(run.status, Status::Detached | Status::Queued) {
        return false;
    }
    let is_long = run.duration.is_some_and(|took| took > run::LONG);
    let decided = run.verdict.is_some() || error(run.status).is_some();
    run::is_worth_a_span(kind, decided, changed || !run.contributed.is_empty() || is_long)
}

/// The word of a note, as it is serialized.
pub(crate) fn note(note: Note) -> &'static str {
    match note {
        Note::AllowOutdated => "allow_outdated",
        Note::FallbackAnswered => "fallback_answered",
        Note::Shadow => "shadow",
        Note::SubjectFrozen => "subject_frozen",
        _ => "other",
    }
}
