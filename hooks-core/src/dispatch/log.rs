//! Builds the record of a dispatch. It exists only if there are listeners: reading the clock costs more than a hook.

use std::sync::Arc;
use std::time::Instant;

use crate::context::HookContext;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::options::Visibility;
use crate::panics::catch;
use crate::plan::Plan;
use crate::record::{Note, Observer, Record, Run, Skip, Status, tell};
use crate::verdict::{Attribution, Semantics, Verdict};

use super::error::End;
use super::trace::{self, Payload};

/// The record of an active dispatch. If it is dropped before it is finished, listeners get a record that says that the
/// dispatch was dropped.
pub(super) struct Log<'a, K: HookKind> {
    plan: &'a Plan<K>,
    cx: &'a HookContext,
    event: &'a K,
    listeners: Listeners<'a>,
    start: Instant,
    /// When the last run ended, until the next one starts: hooks run back to back, so one clock reading serves both.
    ended: Option<Instant>,
    runs: Vec<Run>,
    marks: Vec<Mark>,
    /// Present if an observer wants traces.
    payload: Option<Box<Payload<K>>>,
}

/// The listeners, and the parts of the record that are known before the dispatch.
#[derive(Clone, Copy, Default)]
pub(super) struct Listeners<'a> {
    pub(super) observers: &'a [Arc<dyn Observer>],
    /// The hooks of the scope that are disabled.
    pub(super) disabled: &'a [HookId],
}

/// The state of a run until the dispatch ends. A run is open until it has a status.
#[derive(Clone)]
struct Mark {
    started: Option<Instant>,
    open: bool,
    fell_back: bool,
    /// The hook that changed the subject after this one allowed it.
    outdated_by: Option<usize>,
}

impl<'a, K: HookKind> Log<'a, K> {
    #[cold]
    pub(super) fn new(
        plan: &'a Plan<K>,
        cx: &'a HookContext,
        event: &'a K,
        subject: &K::Subject,
        listeners: Listeners<'a>,
    ) -> Self {
        let mut runs = Vec::with_capacity(plan.steps.len() + listeners.disabled.len());
        runs.extend(plan.steps.iter().map(|step| Run::skipped(&step.id, Skip::Filter, step.visibility)));
        let mark = Mark { started: None, open: true, fell_back: false, outdated_by: None };
        let marks = vec![mark; runs.len()];
        let payload = if trace::is_wanted(listeners.observers) { Payload::new(plan, event, subject) } else { None };
        let payload = payload.map(Box::new);
        let start = Instant::now();
        Self { plan, cx, event, listeners, start, ended: Some(start), runs, marks, payload }
    }

    pub(super) fn start(&mut self, index: usize) {
        let step = &self.plan.steps[index];
        self.listeners.start(K::NAME, &step.id, self.cx);
        self.marks[index].started = Some(self.ended.take().unwrap_or_else(Instant::now));
    }

    fn close(&mut self, index: usize, status: Status) -> &mut Run {
        self.ended(index);
        self.marks[index].open = false;
        let run = &mut self.runs[index];
        run.status = status;
        run
    }

    /// Records the time of a hook whose answer may be merged later.
    pub(super) fn ended(&mut self, index: usize) {
        let (run, Some(started)) = (&mut self.runs[index], self.marks[index].started) else { return };
        if run.duration.is_none() {
            let now = Instant::now();
            run.duration = Some(now.duration_since(started));
            self.ended = Some(now);
        }
    }

    pub(super) fn done(&mut self, index: usize, verdict: Option<&'static str>) {
        // The status is that of the hook, which failed, although its fallback answered.
        let status = if self.marks[index].fell_back { self.runs[index].status } else { Status::Completed };
        self.close(index, status).verdict = verdict;
    }

    pub(super) fn fell_back(&mut self, index: usize, status: Status, cause: &str) {
        let run = self.close(index, status);
        run.cause = Some(cause.to_owned());
        run.note = Some(Note::FallbackAnswered);
        self.marks[index].fell_back = true;
    }

    pub(super) fn failed(&mut self, index: usize, status: Status, cause: &str) {
        self.close(index, status).cause = Some(cause.to_owned());
    }

    /// Records that the hook decided at run time that the event does not concern it.
    pub(super) fn not_selected(&mut self, index: usize) {
        self.close(index, Status::Skipped(Skip::Filter));
    }

    /// Records a launched run, which takes none of the dispatch's time.
    pub(super) fn launched(&mut self, index: usize, status: Status, cause: Option<String>) {
        self.marks[index].started = None;
        self.close(index, status).cause = cause;
    }

    pub(super) fn changed(&mut self, index: usize, subject: &K::Subject) {
        self.runs[index].changed = true;
        self.would_change(index, subject);
    }

    /// Records the change that a shadow hook would have made.
    pub(super) fn would_change(&mut self, index: usize, subject: &K::Subject) {
        if let Some(payload) = &mut self.payload {
            payload.changed(index, subject);
        }
    }

    /// Records a hook's decision before it is merged.
    pub(super) fn decided(&mut self, index: usize, verdict: &K::Verdict) {
        self.attributed(index, verdict.attribution());
        if K::SEMANTICS == Semantics::Contribute {
            // The verdict may be a type of the app, and its code may panic.
            self.runs[index].contributed = catch(|| verdict.contributed()).unwrap_or_default();
        }
        if let Some(payload) = &mut self.payload {
            payload.decided(index, verdict);
        }
    }

    /// Records which rule of the hook decided.
    pub(super) fn attributed(&mut self, index: usize, to: Option<&Arc<Attribution>>) {
        self.runs[index].attribution = to.cloned();
    }

    /// Reverts the note that the hook's change was committed.
    pub(super) fn unchanged(&mut self, index: usize) {
        let run = &mut self.runs[index];
        (run.changed, run.note) = (false, None);
        if let Some(payload) = &mut self.payload {
            payload.unchanged(index);
        }
        for mark in self.marks.iter_mut().filter(|mark| mark.outdated_by == Some(index)) {
            mark.outdated_by = None;
        }
    }

    pub(super) fn note(&mut self, index: usize, note: Note) {
        self.runs[index].note = Some(note);
    }

    /// The hook at `index` changed the subject, so earlier allows no longer count.
    pub(super) fn outdate(&mut self, index: usize, allow: Option<&'static str>) {
        for (run, mark) in self.runs[..index].iter().zip(&mut self.marks) {
            if run.verdict.is_some() && run.verdict == allow {
                mark.outdated_by.get_or_insert(index);
            }
        }
    }

    /// Finishes the record and passes it to the listeners.
    pub(super) fn finish(&mut self, verdict: &K::Verdict, stop: Option<&End>) -> Arc<Record> {
        let skip = match stop {
            Some(End::Removed(_)) => Skip::Removed,
            Some(End::Decided) => Skip::Decided,
            Some(End::Required(_) | End::Cancelled(_) | End::NoRuntime(_)) | None => Skip::Aborted,
        };
        // The verdict may be a type of the app, and its code may panic.
        let summary = catch(|| verdict.summary()).unwrap_or_default();
        let record = self.record(summary, stop, skip, false);
        if let Some(payload) = self.payload.take() {
            let error = stop.and_then(|stop| self.reason(stop));
            payload.give(self.cx.is_replay(), &record, verdict, error, self.listeners.observers);
        }
        record
    }

    /// Why the dispatch has no outcome.
    fn reason(&self, stop: &End) -> Option<String> {
        let hook = |index: &usize| &self.plan.steps[*index].id;
        Some(match stop {
            End::Removed(_) | End::Decided => return None,
            End::Required(failure) => failure.to_string(),
            End::Cancelled(index) => format!("cancelled while `{}` was waiting", hook(index)),
            End::NoRuntime(index) => format!("the runtime has no timer for the timeout of `{}`", hook(index)),
        })
    }

    fn record(&mut self, verdict: Option<&'static str>, stop: Option<&End>, skip: Skip, dropped: bool) -> Arc<Record> {
        // The stage in which the chain stopped: its unfinished hooks were cancelled, not skipped.
        let last = match stop {
            Some(End::Cancelled(index) | End::NoRuntime(index)) => Some(*index),
            _ => self.marks.iter().rposition(|mark| !mark.open),
        };
        let stage = last.map(|index| self.plan.steps[index].stage);
        let ended = stop.is_some() || dropped;
        let duration = self.start.elapsed();
        let mut runs = std::mem::take(&mut self.runs);
        for ((run, mark), step) in runs.iter_mut().zip(&self.marks).zip(&self.plan.steps) {
            if mark.outdated_by.is_some() {
                run.note = Some(Note::AllowOutdated);
            }
            if mark.open {
                // A dropped hook took time too.
                run.duration = run.duration.or_else(|| mark.started.map(|started| started.elapsed()));
                // A chain that ran to its end evaluated every filter. Filters are not evaluated again, because an
                // event's fields may be app code.
                let unseen = ended || step.skips_replay(self.cx);
                let selected =
                    mark.started.is_some() || (unseen && catch(|| step.matches(self.event)).unwrap_or(false));
                run.status = match selected {
                    false => Status::Skipped(Skip::Filter),
                    true if step.skips_replay(self.cx) => Status::Skipped(Skip::Replay),
                    true if mark.started.is_some() || (Some(step.stage) == stage && !dropped) => Status::Cancelled,
                    true => Status::Skipped(skip),
                };
            }
        }
        self.listeners.report(Record {
            kind: K::NAME,
            ids: Arc::clone(self.cx.ids()),
            runs,
            verdict,
            removed: matches!(stop, Some(End::Removed(_))),
            dropped,
            duration,
        })
    }
}

impl Listeners<'_> {
    /// Whether somebody listens: an observer, the caller, or a `tracing` subscriber.
    #[inline]
    pub(super) fn are_listening(self, cx: &HookContext) -> bool {
        !self.observers.is_empty()
            || cx.keeps_records()
            || tracing::enabled!(target: "hook_sdk::dispatch", tracing::Level::DEBUG)
    }

    fn start(self, kind: &'static str, hook: &HookId, cx: &HookContext) {
        tell(kind, self.observers, |observer| observer.starts(kind, hook, cx.ids()));
    }

    /// Completes the record with the disabled hooks and passes it to the observers.
    fn report(self, mut record: Record) -> Arc<Record> {
        let disabled = self.disabled.iter();
        record.runs.extend(disabled.map(|id| Run::skipped(id, Skip::Disabled, Visibility::Internal)));
        let record = Arc::new(record);
        record.report(self.observers);
        record
    }
}

impl<K: HookKind> Drop for Log<'_, K> {
    fn drop(&mut self) {
        // `finish` takes the runs.
        if !self.runs.is_empty() {
            self.record(None, None, Skip::Aborted, true);
        }
    }
}
