//! One dispatch: the subject on its way through the plan.

use std::ops::Range;
use std::sync::Arc;

use crate::HookContext;
use crate::hook::{Effect, Fault, FaultKind, Handler};
use crate::kind::{HookKind, Removal};
use crate::panics::catch;
use crate::plan::{Plan, Segment};
use crate::record::{Observer, Record};
use crate::verdict::Verdict;

use super::error::Recovered;
use super::log::Log;
use super::tally::{Fail, Flow, Stop, Tally};
use super::together::{Outcome, run_alone, run_together};
use super::{DispatchError, Fired};

/// The subject, in two copies.
///
/// Hooks only ever write to the scratch, so what a failed one did is dropped with it. A hook that wrote nothing leaves
/// the scratch equal to what is committed, and the next writer gets the same one: a chain that changes nothing costs one
/// clone, whatever its length.
struct Draft<S> {
    committed: S,
    scratch: Option<S>,
}

impl<S: Clone> Draft<S> {
    /// The scratch to write to in place.
    fn lend(&mut self) -> &mut S {
        self.scratch.get_or_insert_with(|| self.committed.clone())
    }

    /// The scratch to give away.
    fn give(&mut self) -> S {
        self.scratch.take().unwrap_or_else(|| self.committed.clone())
    }
}

pub(super) struct Chain<'a, K: HookKind> {
    cx: &'a HookContext,
    event: &'a K,
    draft: Draft<K::Subject>,
    tally: Tally<'a, K>,
}

impl<'a, K: HookKind> Chain<'a, K> {
    pub(super) fn new(
        plan: &'a Plan<K>,
        cx: &'a HookContext,
        event: &'a K,
        subject: K::Subject,
        observers: &[Arc<dyn Observer>],
    ) -> Self {
        let listening = !observers.is_empty()
            || cx.keeps_records()
            || tracing::enabled!(target: "hooks_core::dispatch", tracing::Level::DEBUG);
        let log = if listening { Log::new(plan, event) } else { None };
        Self { cx, event, draft: Draft { committed: subject, scratch: None }, tally: Tally::new(plan, log) }
    }

    /// Runs the plan part by part.
    pub(super) async fn run(&mut self) {
        for segment in &self.tally.plan.segments {
            let flow = match segment {
                Segment::Sync(range) => self.run_sync(range.clone()),
                Segment::Together(range) => {
                    run_together(self.cx, self.event, &self.draft.committed, range.clone(), &mut self.tally).await
                }
                Segment::Alone(index) => self.run_writer(*index).await,
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    /// Runs plain functions one after the other. One `catch_unwind` covers all that do not panic.
    pub(super) fn run_sync(&mut self, range: Range<usize>) -> Flow {
        let mut next = range.start;
        loop {
            let caught = catch(|| {
                while next < range.end {
                    let index = next;
                    next += 1;
                    if self.call(index) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                Flow::Go
            });
            let flow = match caught {
                Ok(flow) => return flow,
                Err(panic) => {
                    self.draft.scratch = None;
                    self.tally.failed(next - 1, Fail::Panicked(panic))
                }
            };
            if flow == Flow::Stop {
                return flow;
            }
        }
    }

    #[inline]
    fn call(&mut self, index: usize) -> Flow {
        let plan = self.tally.plan;
        let step = &plan.steps[index];
        if plan.filtered && !step.matches(self.event) {
            return Flow::Go;
        }
        if let Some(log) = &mut self.tally.log {
            log.start(index);
        }
        match &step.handler {
            Handler::Read(hook) => match hook(self.cx, self.event, &self.draft.committed) {
                Ok(verdict) => self.tally.decided(index, verdict),
                Err(fault) => self.tally.failed(index, Fail::Fault(fault)),
            },
            Handler::Lend(hook) => match hook(self.cx, self.event, self.draft.lend()) {
                Ok(verdict) => match self.commit_scratch(index) {
                    Ok(()) => self.tally.decided(index, verdict),
                    Err(fail) => self.tally.failed(index, fail),
                },
                Err(fault) => self.faulted(index, fault),
            },
            Handler::Own(hook) => {
                let answer = hook(self.cx, self.event, self.draft.give());
                match answer {
                    Ok(effect) => self.take_effect(index, effect),
                    Err(fault) => self.tally.failed(index, Fail::Fault(fault)),
                }
            }
            // A sync segment holds plain functions only.
            Handler::ReadAsync(_) | Handler::OwnAsync(_) => Flow::Go,
        }
    }

    /// A hook that was lent the scratch gave no verdict: its changes stay only with a halt in the verdict's place.
    #[cold]
    fn faulted(&mut self, index: usize, fault: Fault) -> Flow {
        match *fault.0 {
            FaultKind::HaltAndKeep(halt) => match self.commit_scratch(index) {
                Ok(()) => {
                    self.tally.halted(index, halt);
                    Flow::Go
                }
                Err(fail) => self.tally.failed(index, fail),
            },
            _ => {
                self.draft.scratch = None;
                self.tally.failed(index, Fail::Fault(fault))
            }
        }
    }

    /// Commits what a hook gave back that took the subject.
    fn take_effect(&mut self, index: usize, effect: Effect<K::Subject, K::Verdict>) -> Flow {
        let Some(subject) = effect.subject else {
            if let Some(log) = &mut self.tally.log {
                log.done(index, None);
            }
            return self.tally.removed(index);
        };
        self.draft.scratch = Some(subject);
        if let Err(fail) = self.commit_scratch(index) {
            return self.tally.failed(index, fail);
        }
        if let Some(halt) = effect.halt {
            self.tally.halted(index, *halt);
            return Flow::Go;
        }
        self.tally.decided(index, effect.verdict)
    }

    /// Makes the scratch what later hooks see, if it differs and keeps the rules of the kind.
    #[inline]
    fn commit_scratch(&mut self, index: usize) -> Result<(), Fail> {
        let unchanged = self.draft.scratch.as_ref().is_none_or(|scratch| K::same(&self.draft.committed, scratch));
        if unchanged { Ok(()) } else { self.commit_change(index) }
    }

    fn commit_change(&mut self, index: usize) -> Result<(), Fail> {
        let Some(scratch) = self.draft.scratch.take() else { return Ok(()) };
        if self.tally.verdict.freezes_subject() {
            self.tally.frozen(index);
            return Ok(());
        }
        self.event.check(&self.draft.committed, &scratch).map_err(|broken| Fail::Violation(broken.to_string()))?;
        self.tally.changed(index);
        self.draft.committed = scratch;
        Ok(())
    }

    /// Runs one async writer.
    async fn run_writer(&mut self, index: usize) -> Flow {
        let plan = self.tally.plan;
        let step = &plan.steps[index];
        let Handler::OwnAsync(hook) = &step.handler else { return Flow::Go };
        if !step.matches(self.event) {
            return Flow::Go;
        }
        if let Some(log) = &mut self.tally.log {
            log.start(index);
        }
        let (cx, event, draft) = (self.cx, self.event, &mut self.draft);
        // The copy is made within the call: the `Clone` of an app's subject may panic too.
        let outcome = run_alone(|| hook(cx, event, draft.give()), step.timeout, cx.cancellation()).await;
        let done = match outcome {
            // The subject that comes back is compared and checked with code of the app, which may panic too.
            Outcome::Done(Ok(effect)) => catch(|| self.take_effect(index, effect)),
            Outcome::Done(Err(fault)) => Ok(self.tally.failed(index, Fail::Fault(fault))),
            Outcome::Failed(fail) => Ok(self.tally.failed(index, fail)),
            Outcome::Ended(ended) => {
                self.tally.stop = Some(ended.at(index));
                Ok(Flow::Stop)
            }
        };
        done.unwrap_or_else(|panic| {
            self.draft.scratch = None;
            self.tally.failed(index, Fail::Panicked(panic))
        })
    }

    /// Ends the dispatch: the record to those who listen, the outcome to the caller.
    #[inline]
    pub(super) fn finish(
        mut self,
        disabled: &[crate::hook::HookId],
        observers: &[Arc<dyn Observer>],
    ) -> Result<Fired<K>, DispatchError> {
        let record = match self.tally.log.take() {
            None => None,
            Some(log) => self.record(*log, disabled, observers),
        };
        let subject = self.draft.committed;
        let Tally { plan, verdict, halt, failures, stop, .. } = self.tally;
        let removed_by = match stop {
            None | Some(Stop::Decided) => None,
            Some(Stop::Removed(index)) => Some(plan.steps[index].id.clone()),
            Some(stop) => return Err(stopped::<K>(plan, stop, subject)),
        };
        let subject = K::Removal::kept(subject, removed_by.is_some());
        Ok(Fired { subject, verdict, halt, failures, removed_by, record })
    }

    #[cold]
    fn record(
        &self,
        log: Log,
        disabled: &[crate::hook::HookId],
        observers: &[Arc<dyn Observer>],
    ) -> Option<Arc<Record>> {
        let record = Arc::new(log.finish(self.cx, &self.tally, disabled));
        tracing::debug!(target: "hooks_core::dispatch", kind = record.kind, runs = record.runs.len(), verdict = record.verdict, removed = record.removed, duration = ?record.duration, "dispatched");
        for observer in observers {
            if let Err(panic) = catch(|| observer.dispatched(&record)) {
                tracing::error!(target: "hooks_core", kind = record.kind, panic, "an observer panicked");
            }
        }
        self.cx.keeps_records().then_some(record)
    }
}

#[cold]
fn stopped<K: HookKind>(plan: &Plan<K>, stop: Stop, subject: K::Subject) -> DispatchError {
    let subject = Recovered::new(subject);
    let kind = K::NAME;
    match stop {
        Stop::Required(failure) => DispatchError::Required { failure, subject },
        Stop::NoRuntime(index) => DispatchError::NoRuntime { kind, hook: plan.steps[index].id.clone(), subject },
        Stop::Cancelled(index) | Stop::Removed(index) => {
            DispatchError::Cancelled { kind, hook: plan.steps[index].id.clone(), subject }
        }
        Stop::Decided => DispatchError::Cancelled { kind, hook: crate::hook::HookId::new(""), subject },
    }
}
