//! One dispatch: the subject on its way through the plan.

use std::ops::Range;
use std::sync::Arc;
use std::task::Context;

use crate::HookContext;
use crate::hook::{Answer, Effect, Fault, FaultKind, Handler, Lend, Own, Read, call};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Plan, Segment, Way};
use crate::record::Observer;
use crate::verdict::Verdict;

use super::at_once::with_task;
use super::log::Log;
use super::tally::{Fail, Flow, Tally};
use super::together::{self, Stage};
use super::writers::{WriterFuture, Written};

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

/// How far a walk through a plan got: the next segment, and the next step where that is within one.
struct At {
    segment: usize,
    step: usize,
}

/// Where a walk through a plan stands still.
enum Walk<'s, 'a, K: HookKind> {
    /// At its end, or where the chain stops.
    Ended,
    /// After a stage of readers, some of which may wait.
    Read(Flow, &'s mut Tally<'a, K>, Option<Box<Stage<'s, K>>>),
    /// At a writer that has to wait.
    Write(usize, WriterFuture<'a, K>),
}

pub(super) struct Chain<'a, K: HookKind> {
    pub(super) cx: &'a HookContext,
    pub(super) event: &'a K,
    pub(super) draft: Draft<K::Subject>,
    pub(super) tally: Tally<'a, K>,
}

impl<'a, K: HookKind> Chain<'a, K> {
    #[inline(always)]
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

    /// Runs a plan of which something may wait.
    ///
    /// All that does not is done in one poll, by plain functions: a future for each part of it costs more than most hooks.
    pub(super) async fn run(&mut self) {
        let (cx, mut at) = (self.cx, At { segment: 0, step: 0 });
        loop {
            let (index, future) = match with_task(|task| self.walk(&mut at, task)).await {
                Walk::Ended | Walk::Read(Flow::Stop, _, None) => return,
                Walk::Read(Flow::Go, _, None) => continue,
                Walk::Read(_, tally, Some(stage)) => match stage.finish(cx, tally).await {
                    Flow::Go => continue,
                    Flow::Stop => return,
                },
                Walk::Write(index, future) => (index, future),
            };
            if self.finish_writer(index, future).await == Flow::Stop {
                return;
            }
        }
    }

    /// Goes on with the plan, to where something waits, or to the end of a stage of readers, which may wait.
    fn walk(&mut self, at: &mut At, task: &mut Context<'_>) -> Walk<'_, 'a, K> {
        while let Some(segment) = self.tally.plan.segments.get(at.segment) {
            let steps = segment.steps.start.max(at.step)..segment.steps.end;
            at.segment += 1;
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                None if matches!(segment.way, Way::Together(_)) => {
                    let (draft, tally) = (&self.draft, &mut self.tally);
                    let (flow, stage) = together::start(self.cx, self.event, &draft.committed, segment, tally, task);
                    if stage.is_none() && at.segment == tally.plan.segments.len() {
                        return Walk::Ended;
                    }
                    return Walk::Read(flow, tally, stage);
                }
                None => match self.write(steps, task) {
                    Written::All(flow) => flow,
                    Written::UpTo(index, future) => {
                        *at = At { segment: at.segment - 1, step: index + 1 };
                        return Walk::Write(index, future);
                    }
                },
            };
            if flow == Flow::Stop {
                return Walk::Ended;
            }
        }
        Walk::Ended
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
            Way::OneByOne | Way::Together(_) => None,
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
    #[inline]
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
