//! One dispatch: passes the subject through the plan.

use std::ops::{ControlFlow, Range};
use std::task::{Context, Poll};

use crate::handler::{Answer, BoxFuture, ReadFn};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Execution, Plan, Segment};

use super::at_once::with_task;
use super::call::{self, Called, EffectOf, FirstEffect, Inputs, Transaction, WriterAnswer};
use super::error::Flow;
use super::log::{Listeners, Log};
use super::outcome::Outcome;
use super::readers::{self, Stage};
use super::wait::Waiting;

type WriterFuture<'a, K> = BoxFuture<'a, Answer<EffectOf<K>>>;

/// A position in a plan: the next segment, and the next step within it.
struct Position {
    segment: usize,
    step: usize,
}

/// Where a walk through a plan pauses.
enum Walk<'s, 'a, K: HookKind> {
    /// At the end of the plan, or where the chain stopped.
    Ended,
    /// After a stage of readers was started, some of which may have to wait.
    Read(Flow, &'s mut Outcome<'a, K>, Option<Box<Stage<'s, K>>>),
    /// At a writer that must wait.
    Write(usize, WriterFuture<'a, K>),
}

/// How a sequence of steps ran: it is finished, the chain stops, or it breaks off at a writer that must wait.
type Progress<'a, K> = ControlFlow<(usize, WriterFuture<'a, K>), Flow>;

pub(super) struct Chain<'a, K: HookKind> {
    pub(super) inputs: Inputs<'a, K>,
    pub(super) subject: Transaction<K::Subject>,
    pub(super) outcome: Outcome<'a, K>,
}

impl<'a, K: HookKind> Chain<'a, K> {
    #[inline(always)]
    pub(super) fn new(
        plan: &'a Plan<K>,
        inputs: Inputs<'a, K>,
        subject: K::Subject,
        listeners: Listeners<'a>,
        is_heard: bool,
    ) -> Self {
        let log = if is_heard { Some(Log::new(plan, inputs.cx, inputs.event, &subject, listeners)) } else { None };
        Self { inputs, subject: Transaction::new(subject), outcome: Outcome::new(plan, log) }
    }

    /// Runs a plan of plain functions.
    #[inline]
    pub(super) fn run_sync(&mut self) {
        for segment in &self.outcome.plan.segments {
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                // Plain functions never wait.
                None => self.run_steps(segment.steps.clone(), None).continue_value().unwrap_or(Flow::Next),
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    /// Runs a plan with async hooks.
    ///
    /// Everything that does not wait is done in one poll, by plain functions, because a future for each part costs more
    /// than most hooks.
    pub(super) async fn run(&mut self) {
        let (cx, mut at) = (self.inputs.cx, Position { segment: 0, step: 0 });
        loop {
            let (index, future) = match with_task(|task| self.walk(&mut at, task)).await {
                Walk::Ended | Walk::Read(Flow::Stop, _, None) => return,
                Walk::Read(_, _, None) => continue,
                Walk::Read(_, outcome, Some(stage)) => match stage.finish(cx, outcome).await {
                    Flow::Stop => return,
                    Flow::Next | Flow::FallBack => continue,
                },
                Walk::Write(index, future) => (index, future),
            };
            match self.finish_writer(index, future).await {
                Flow::Next => {}
                // The walk repeats the step, which now runs the fallback.
                Flow::FallBack => at.step = index,
                Flow::Stop => return,
            }
        }
    }

    /// Continues with the plan until a writer waits, a stage of readers was started, or the chain ends.
    fn walk(&mut self, at: &mut Position, task: &mut Context<'_>) -> Walk<'_, 'a, K> {
        while let Some(segment) = self.outcome.plan.segments.get(at.segment) {
            let steps = segment.steps.start.max(at.step)..segment.steps.end;
            at.segment += 1;
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                None if matches!(segment.execution, Execution::Concurrent(_)) => {
                    let outcome = &mut self.outcome;
                    let (flow, stage) = readers::start(self.inputs, &self.subject.committed, segment, outcome, task);
                    if stage.is_none() && at.segment == outcome.plan.segments.len() {
                        return Walk::Ended;
                    }
                    return Walk::Read(flow, outcome, stage);
                }
                None => match self.run_steps(steps, Some(task)) {
                    ControlFlow::Continue(flow) => flow,
                    ControlFlow::Break((index, future)) => {
                        *at = Position { segment: at.segment - 1, step: index + 1 };
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

    /// Runs a lane. Returns `None` if the segment is not a lane, or if there are listeners, which need every step
    /// reported.
    #[inline]
    fn run_lane(&mut self, segment: &Segment<K>) -> Option<Flow> {
        if self.outcome.log().is_some() {
            return None;
        }
        let start = segment.steps.start;
        match &segment.execution {
            Execution::ReadLane(lane) => {
                let effect = call::read_lane(lane, self.inputs, &self.subject.committed);
                Some(self.read_lane(start, lane, effect))
            }
            Execution::WriteLane(lane) => Some(self.lane(start, lane, |chain, index, hook| {
                let answer = hook(chain.inputs.cx, chain.inputs.event, chain.subject.lend());
                chain.lent(index, answer)
            })),
            Execution::ReplaceLane(lane) => Some(self.lane(start, lane, |chain, index, hook| {
                let answer = hook(chain.inputs.cx, chain.inputs.event, chain.subject.give());
                chain.owned(index, answer)
            })),
            Execution::Sequential | Execution::Concurrent(_) => None,
        }
    }

    /// Merges the effects of a lane of readers, of which `effect` is the first.
    pub(super) fn read_lane(&mut self, start: usize, lane: &[ReadFn<K>], mut effect: Option<FirstEffect<K>>) -> Flow {
        let mut called = 0;
        while let Some((index, answer)) = effect {
            called += index + 1;
            let index = start + called - 1;
            // The verdict may be a type of the app, whose code may panic.
            let merged = answer.and_then(|answer| catch(|| self.outcome.answered(index, answer)));
            if merged.unwrap_or_else(|panic| self.panicked(index, panic)) == Flow::Stop {
                return Flow::Stop;
            }
            effect = call::read_lane(lane.get(called..).unwrap_or_default(), self.inputs, &self.subject.committed);
        }
        Flow::Next
    }

    /// Runs functions of one form without fallbacks. One `catch_unwind` covers the sequence.
    #[inline]
    fn lane<F>(&mut self, start: usize, lane: &[F], run: impl Fn(&mut Self, usize, &F) -> Flow) -> Flow {
        let mut next = start;
        loop {
            let caught = catch(|| {
                for hook in lane.get(next - start..).unwrap_or_default() {
                    let index = next;
                    // Incremented before the call: if the call panics, the hook before `next` is the one that did.
                    next += 1;
                    if run(self, index, hook) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                Flow::Next
            });
            let flow = match caught {
                Ok(flow) => return flow,
                Err(panic) => self.panicked(next - 1, panic),
            };
            if flow == Flow::Stop {
                return flow;
            }
        }
    }

    /// Runs steps one after the other, until an async writer must wait. Without `task`, none does.
    #[inline]
    fn run_steps(&mut self, steps: Range<usize>, mut task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        let mut next = steps.start;
        loop {
            let flow = match catch(|| self.steps(&mut next, steps.end, task.as_deref_mut())) {
                Ok(progress) => return progress,
                Err(panic) => self.panicked(next - 1, panic),
            };
            match flow {
                Flow::Next => {}
                Flow::FallBack => next -= 1,
                Flow::Stop => return ControlFlow::Continue(flow),
            }
        }
    }

    #[inline]
    fn steps(&mut self, next: &mut usize, end: usize, mut task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        while *next < end {
            let index = *next;
            *next += 1;
            match self.step(index, task.as_deref_mut())? {
                Flow::Next => {}
                Flow::FallBack => *next = index,
                Flow::Stop => return ControlFlow::Continue(Flow::Stop),
            }
        }
        ControlFlow::Continue(Flow::Next)
    }

    /// Runs one hook, or its fallback if the hook has failed.
    #[inline]
    fn step(&mut self, index: usize, task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        let (plan, Inputs { cx, event, .. }) = (self.outcome.plan, self.inputs);
        let step = &plan.steps[index];
        let is_plain = step.is_plain() && self.inputs.hook_cxs.is_empty() && self.outcome.details.is_none();
        let prepared =
            if is_plain { Some((&step.handler, cx, None)) } else { self.inputs.prepare(index, &mut self.outcome) };
        let Some((handler, cx, span)) = prepared else { return ControlFlow::Continue(Flow::Next) };
        let mut call = || call::write(handler, step.blocking(), cx, event, &mut self.subject);
        let call = match span {
            None => call(),
            Some(span) => call::within(span, call),
        };
        ControlFlow::Continue(match call {
            Called::Answered(WriterAnswer::Read(answer)) => self.outcome.answered(index, answer),
            Called::Answered(WriterAnswer::Lent(answer)) => self.lent(index, answer),
            Called::Answered(WriterAnswer::Owned(answer)) => self.owned(index, answer),
            Called::Waits(mut future) => {
                let polled = task.map_or(Poll::Pending, |task| future.as_mut().poll(task));
                let Poll::Ready(answer) = polled else { return ControlFlow::Break((index, future)) };
                // Dropping the future may panic, which counts as the hook's failure.
                drop(future);
                self.owned(index, answer)
            }
            Called::Launch => match self.outcome.launch(index, cx, event, &self.subject.committed) {
                Ok(()) => Flow::Next,
                Err(fail) => self.outcome.failed(index, fail),
            },
        })
    }

    /// Waits for an async writer that returned `Pending` from its first poll.
    async fn finish_writer(&mut self, index: usize, future: WriterFuture<'a, K>) -> Flow {
        let timeout = self.outcome.plan.steps[index].timeout;
        let answer = match Waiting::started(future, timeout) {
            Ok(waiting) => waiting.answer(self.inputs.cx.cancellation()).await,
            Err(fault) => Err(fault),
        };
        // The returned subject is compared and checked by app code, which may panic too.
        catch(|| self.owned(index, answer)).unwrap_or_else(|panic| self.panicked(index, panic))
    }
}
