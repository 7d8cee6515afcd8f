//! One dispatch: the subject on its way through the plan.

use std::ops::Range;
use std::sync::Arc;

use crate::HookContext;
use crate::hook::{Answer, Effect, Fault, FaultKind, Handler, Lend, Own, Read, call};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Plan, Segment, Way};
use crate::record::Observer;
use crate::verdict::Verdict;

use super::log::Log;
use super::tally::{Fail, Flow, Tally};
use super::together;

/// The subject, in two copies.
///
/// Hooks only ever write to the scratch, so what a failed one did is dropped with it. A hook that wrote nothing leaves
/// the scratch equal to what is committed, and the next writer gets the same one: a chain that changes nothing costs one
/// clone, whatever its length.
pub(super) struct Draft<S> {
    pub(super) committed: S,
    pub(super) scratch: Option<S>,
}

impl<S: Clone> Draft<S> {
    /// The scratch to write to in place.
    #[inline]
    fn lend(&mut self) -> &mut S {
        self.scratch.get_or_insert_with(|| self.committed.clone())
    }

    /// The scratch to give away.
    #[inline]
    pub(super) fn give(&mut self) -> S {
        self.scratch.take().unwrap_or_else(|| self.committed.clone())
    }
}

pub(super) struct Chain<'a, K: HookKind> {
    pub(super) cx: &'a HookContext,
    pub(super) event: &'a K,
    pub(super) draft: Draft<K::Subject>,
    pub(super) tally: Tally<'a, K>,
}

impl<'a, K: HookKind> Chain<'a, K> {
    #[inline]
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

    /// Runs a plan in which nothing waits.
    #[inline]
    pub(super) fn run_sync(&mut self) {
        for segment in &self.tally.plan.segments {
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                None => self.run_plain(segment.steps.clone()),
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    /// Runs the plan part by part.
    pub(super) async fn run(&mut self) {
        for segment in &self.tally.plan.segments {
            let flow = match (self.run_lane(segment), &segment.way) {
                (Some(flow), _) => flow,
                (None, Way::Together) => {
                    let steps = segment.steps.clone();
                    together::run(self.cx, self.event, &self.draft.committed, steps, &mut self.tally).await
                }
                (None, _) => self.run_writers(segment.steps.clone()).await,
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    /// Runs a lane; `None` where the segment is none, or where somebody listens, who is told of every step.
    #[inline]
    fn run_lane(&mut self, segment: &Segment<K>) -> Option<Flow> {
        if self.tally.aside.as_ref().is_some_and(|aside| aside.log.is_some()) {
            return None;
        }
        let steps = &segment.steps;
        match &segment.way {
            Way::ReadLane(lane) => Some(self.lane(steps.start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, &chain.draft.committed);
                chain.read(index, answer)
            })),
            Way::LendLane(lane) => Some(self.lane(steps.start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, chain.draft.lend());
                chain.lent(index, answer)
            })),
            Way::OwnLane(lane) => Some(self.lane(steps.start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, chain.draft.give());
                chain.owned(index, answer)
            })),
            Way::OneByOne | Way::Together => None,
        }
    }

    /// Runs functions of one form. One `catch_unwind` covers all that do not panic.
    #[inline]
    fn lane<F>(&mut self, start: usize, lane: &[F], run: impl Fn(&mut Self, usize, &F) -> Flow) -> Flow {
        let mut next = 0;
        loop {
            let caught = catch(|| {
                for hook in lane.get(next..).unwrap_or_default() {
                    // Noted before the call: if it panics, this is who did.
                    next += 1;
                    if run(self, start + next - 1, hook) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                Flow::Go
            });
            let flow = match caught {
                Ok(flow) => return flow,
                Err(panic) => self.panicked(start + next - 1, panic),
            };
            if flow == Flow::Stop {
                return flow;
            }
        }
    }

    // What is done with the answer of each form, whoever called the hook.

    #[inline]
    fn read(&mut self, index: usize, answer: Answer<K::Verdict>) -> Flow {
        match answer {
            Ok(verdict) => self.tally.decided(index, verdict),
            Err(fault) => self.tally.no_answer(index, fault),
        }
    }

    #[inline]
    fn lent(&mut self, index: usize, answer: Answer<K::Verdict>) -> Flow {
        match answer {
            Ok(verdict) => self.commit(index, verdict),
            Err(fault) => self.faulted(index, fault),
        }
    }

    #[inline]
    pub(super) fn owned(&mut self, index: usize, answer: Answer<Effect<K::Subject, K::Verdict>>) -> Flow {
        match answer {
            Ok(effect) => self.take_effect(index, effect),
            Err(fault) => self.not_owned(index, fault),
        }
    }

    /// A hook that took the subject gave nothing back; perhaps its fallback did. Or it ended the turn.
    #[cold]
    fn not_owned(&mut self, index: usize, fault: Fault) -> Flow {
        match fault.fell_back() {
            Ok((cause, answer)) => {
                self.tally.fell_back(index, cause);
                self.owned(index, answer)
            }
            Err(fault) => match *fault.0 {
                FaultKind::HaltAndReplace(halt, subject) => {
                    // It is one: the form of the hook says so.
                    self.draft.scratch = subject.downcast().ok().map(|subject| *subject);
                    self.faulted(index, Fault::halt_and_keep(halt))
                }
                other => self.tally.failed(index, Fail::Fault(Fault(Box::new(other)))),
            },
        }
    }

    /// Runs plain functions step by step.
    fn run_plain(&mut self, range: Range<usize>) -> Flow {
        let steps = self.tally.plan.steps.get(range.clone()).unwrap_or_default();
        self.lane(range.start, steps, |chain, index, _step| chain.step(index))
    }

    /// Runs one plain function.
    pub(super) fn step(&mut self, index: usize) -> Flow {
        if !self.select(index) {
            return Flow::Go;
        }
        let (plan, cx, event) = (self.tally.plan, self.cx, self.event);
        match &plan.steps[index].handler {
            Handler::Read(hook) => {
                let answer = call!(Read::hook(cx, event, &self.draft.committed));
                self.read(index, answer)
            }
            Handler::Lend(hook) => {
                let answer = call!(Lend::hook(cx, event, self.draft.lend()));
                self.lent(index, answer)
            }
            Handler::Own(hook) => {
                let answer = call!(Own::hook(cx, event, self.draft.give()));
                self.owned(index, answer)
            }
            Handler::Apart(_) => match self.tally.begin(index, cx, event, &self.draft.committed) {
                Ok(()) => Flow::Go,
                Err(fail) => self.tally.failed(index, fail),
            },
            Handler::OwnAsync(_) | Handler::ReadAsync(_) => Flow::Go,
        }
    }

    /// Whether the hook's filter matches; then its time begins.
    pub(super) fn select(&mut self, index: usize) -> bool {
        let selected = self.tally.plan.steps[index].matches(self.event);
        if let (true, Some(log)) = (selected, self.tally.log()) {
            log.start(index);
        }
        selected
    }

    #[cold]
    pub(super) fn panicked(&mut self, index: usize, panic: String) -> Flow {
        let scratch = self.draft.scratch.take();
        // What the hook left half-changed may panic once more when it is dropped; the first panic is the one that is told.
        let _ = catch(|| drop(scratch));
        self.tally.failed(index, Fail::Panicked(panic))
    }

    /// A hook that was lent the scratch gave no verdict: its changes stay only with a halt in the verdict's place.
    #[cold]
    fn faulted(&mut self, index: usize, fault: Fault) -> Flow {
        let fault = match fault.fell_back() {
            Ok((cause, answer)) => {
                self.tally.fell_back(index, cause);
                return self.lent(index, answer);
            }
            Err(fault) => fault,
        };
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
    #[inline(always)]
    pub(super) fn take_effect(&mut self, index: usize, effect: Effect<K::Subject, K::Verdict>) -> Flow {
        let Some(subject) = effect.subject else { return self.tally.removed(index) };
        self.draft.scratch = Some(subject);
        self.commit(index, effect.verdict)
    }

    #[inline(always)]
    fn commit(&mut self, index: usize, verdict: K::Verdict) -> Flow {
        match self.commit_scratch(index) {
            Ok(()) => self.tally.decided(index, verdict),
            Err(fail) => self.tally.failed(index, fail),
        }
    }

    /// Makes the scratch what later hooks see, if it differs and keeps the rules of the kind.
    #[inline(always)]
    fn commit_scratch(&mut self, index: usize) -> Result<(), Fail> {
        match &self.draft.scratch {
            Some(scratch) if !K::same(&self.draft.committed, scratch) => self.commit_change(index),
            _ => Ok(()),
        }
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
}
