//! The record of a dispatch while it is made. There is one only where somebody listens: a clock costs more than a hook.

use std::time::Instant;

use crate::HookContext;
use crate::hook::{HookId, Visibility};
use crate::kind::HookKind;
use crate::plan::Plan;
use crate::record::{Note, Record, Run, Skip, Status};

use super::tally::{Broken, Stop};

#[derive(Debug)]
pub(super) struct Log {
    start: Instant,
    runs: Vec<Draft>,
}

/// A run whose status is still open where it has none.
#[derive(Debug)]
struct Draft {
    run: Run,
    started: Option<Instant>,
    selected: bool,
    open: bool,
    fell_back: bool,
}

impl Log {
    /// A log of `plan`; `None` where no hook is selected, because then nothing is recorded.
    pub(super) fn new<K: HookKind>(plan: &Plan<K>, event: &K) -> Option<Self> {
        // Before anything is allocated.
        if !plan.steps.iter().any(|step| step.matches(event)) {
            return None;
        }
        let draft = |step: &crate::plan::Step<K>| Draft {
            run: Run {
                hook: step.id.clone(),
                status: Status::Skipped(Skip::Filter),
                duration: None,
                changed: false,
                verdict: None,
                note: None,
                cause: None,
                visibility: step.visibility,
            },
            started: None,
            selected: step.matches(event),
            open: true,
            fell_back: false,
        };
        let runs = plan.steps.iter().map(draft).collect();
        Some(Self { start: Instant::now(), runs })
    }

    pub(super) fn start(&mut self, index: usize) {
        self.runs[index].started = Some(Instant::now());
    }

    fn close(&mut self, index: usize, status: Status) -> &mut Run {
        let draft = &mut self.runs[index];
        draft.open = false;
        draft.run.status = status;
        draft.run.duration = draft.run.duration.or(draft.started.map(|started| started.elapsed()));
        &mut draft.run
    }

    /// Notes the time of a hook whose answer is folded in later.
    pub(super) fn ended(&mut self, index: usize) {
        let draft = &mut self.runs[index];
        draft.run.duration = draft.started.map(|started| started.elapsed());
    }

    pub(super) fn done(&mut self, index: usize, verdict: Option<&'static str>) {
        let draft = &self.runs[index];
        // The hook has failed, whoever answered.
        let status = if draft.fell_back { draft.run.status } else { Status::Completed };
        self.close(index, status).verdict = verdict;
    }

    pub(super) fn fell_back(&mut self, index: usize, status: Status, cause: &str) {
        let run = self.close(index, status);
        run.cause = Some(cause.to_owned());
        run.note = Some(Note::FallbackAnswered);
        self.runs[index].fell_back = true;
    }

    pub(super) fn failed(&mut self, index: usize, status: Status, cause: &str) {
        self.close(index, status).cause = Some(cause.to_owned());
    }

    /// Notes a run that nobody waits for; it takes none of the dispatch's time.
    pub(super) fn begun(&mut self, index: usize, status: Status, cause: Option<String>) {
        self.runs[index].started = None;
        self.close(index, status).cause = cause;
    }

    pub(super) fn changed(&mut self, index: usize) {
        self.runs[index].run.changed = true;
    }

    pub(super) fn note(&mut self, index: usize, note: Note) {
        self.runs[index].run.note = Some(note);
    }

    /// The hook at `index` changed the subject: the allows that were given before count no longer.
    pub(super) fn outdate(&mut self, index: usize, allow: Option<&'static str>) {
        for draft in &mut self.runs[..index] {
            if draft.run.verdict.is_some() && draft.run.verdict == allow {
                draft.run.note = Some(Note::AllowOutdated);
            }
        }
    }

    /// The finished record.
    pub(super) fn finish<K: HookKind>(
        self,
        cx: &HookContext,
        plan: &Plan<K>,
        verdict: Option<&'static str>,
        stop: Option<&Stop>,
        disabled: &[HookId],
    ) -> Record {
        let removed = matches!(stop, Some(Stop::Removed(_)));
        let skip = match stop {
            Some(Stop::Removed(_)) => Skip::Removed,
            Some(Stop::Decided) => Skip::Decided,
            Some(Stop::Broken(_)) | None => Skip::Aborted,
        };
        // The stage in which the chain stopped: what was not done there was cancelled, not skipped.
        let last = match stop {
            Some(Stop::Broken(Broken::Cancelled(index) | Broken::NoRuntime(index))) => Some(*index),
            _ => self.runs.iter().rposition(|draft| !draft.open),
        };
        let stage = last.map(|index| plan.steps[index].stage);
        let duration = self.start.elapsed();
        let mut runs: Vec<Run> = Vec::with_capacity(self.runs.len() + disabled.len());
        for (draft, step) in self.runs.into_iter().zip(&plan.steps) {
            let mut run = draft.run;
            // A hook that was dropped took its time too.
            run.duration = run.duration.or(draft.started.map(|started| started.elapsed()));
            run.status = match (draft.open, draft.selected) {
                (true, false) => Status::Skipped(Skip::Filter),
                (true, true) if Some(step.stage) == stage || draft.started.is_some() => Status::Cancelled,
                (true, true) => Status::Skipped(skip),
                (false, _) => run.status,
            };
            runs.push(run);
        }
        runs.extend(disabled.iter().map(|id| Run {
            hook: id.clone(),
            status: Status::Skipped(Skip::Disabled),
            duration: None,
            changed: false,
            verdict: None,
            note: None,
            cause: None,
            visibility: Visibility::Internal,
        }));
        Record {
            kind: K::NAME,
            agent: cx.agent().map(str::to_owned),
            conversation: cx.conversation().map(str::to_owned),
            turn: cx.turn(),
            runs,
            verdict,
            removed,
            duration,
        }
    }
}
