//! One dispatch: passes the subject through the plan.

use std::ops::Range;
use std::task::{Context, Poll};

use tracing::Span;

use crate::context::HookContext;
use crate::handler::{Answer, BoxFuture, Handler};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Execution, Plan, Segment, Step};

use super::at_once::with_task;
use super::call::{self, EffectOf, WriterCall};
use super::log::{Listeners, Log};
use super::outcome::{Flow, Outcome};
use super::readers::{self, Inputs, Stage};
use super::transaction::Transaction;
use super::wait::{NoAnswer, wait_for};

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

/// The result of running a sequence of steps.
enum Progress<'a, K: HookKind> {
    /// The sequence is finished, or the chain stops.
    Done(Flow),
    /// A writer must wait.
    Waits(usize, WriterFuture<'a, K>),
}

pub(super) struct Chain<'a, K: HookKind> {
    cx: &'a HookContext,
    /// The contexts of hooks with their own context.
    own: &'a [Option<HookContext>],
    pub(super) event: &'a K,
    pub(super) subject: Transaction<K::Subject>,
    pub(super) outcome: Outcome<'a, K>,
}

impl<'a, K: HookKind> Chain<'a, K> {
    #[inline(always)]
    pub(super) fn new(
        plan: &'a Plan<K>,
        cx: &'a HookContext,
        own: &'a [Option<HookContext>],
        event: &'a K,
        subject: K::Subject,
        listeners: Listeners<'a>,
    ) -> Self {
        let listening = !listeners.observers.is_empty()
            || cx.keeps_records()
            || tracing::enabled!(target: "hook_sdk::dispatch", tracing::Level::DEBUG);
        let log = if listening { Some(Log::new(plan, cx, event, &subject, listeners)) } else { None };
        Self { cx, own, event, subject: Transaction::new(subject), outcome: Outcome::new(plan, log) }
    }

    /// Runs a plan of plain functions.
    #[inline]
    pub(super) fn run_sync(&mut self) {
        for segment in &self.outcome.plan.segments {
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                None => match self.run_steps(segment.steps.clone(), None) {
                    Progress::Done(flow) => flow,
                    // Plain functions never wait.
                    Progress::Waits(..) => Flow::Next,
                },
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
        let (cx, mut at) = (self.cx, Position { segment: 0, step: 0 });
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
                    let inputs =
                        Inputs { cx: self.cx, own: self.own, event: self.event, subject: &self.subject.committed };
                    let (flow, stage) = readers::start(inputs, segment, outcome, task);
                    if stage.is_none() && at.segment == outcome.plan.segments.len() {
                        return Walk::Ended;
                    }
                    return Walk::Read(flow, outcome, stage);
                }
                None => match self.run_steps(steps, Some(task)) {
                    Progress::Done(flow) => flow,
                    Progress::Waits(index, future) => {
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
        if self.outcome.rare.as_ref().is_some_and(|rare| rare.log.is_some()) {
            return None;
        }
        let start = segment.steps.start;
        match &segment.execution {
            Execution::ReadLane(lane) => Some(self.lane(start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, &chain.subject.committed);
                chain.read(index, answer)
            })),
            Execution::LendLane(lane) => Some(self.lane(start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, chain.subject.lend());
                chain.lent(index, answer)
            })),
            Execution::OwnLane(lane) => Some(self.lane(start, lane, |chain, index, hook| {
                let answer = hook(chain.cx, chain.event, chain.subject.give());
                chain.owned(index, answer)
            })),
            Execution::Sequential | Execution::Concurrent(_) => None,
        }
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
                Flow::Stop => return Progress::Done(flow),
            }
        }
    }

    #[inline]
    fn steps(&mut self, next: &mut usize, end: usize, mut task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        while *next < end {
            let index = *next;
            *next += 1;
            match self.step(index, task.as_deref_mut()) {
                Progress::Done(Flow::Next) => {}
                Progress::Done(Flow::FallBack) => *next = index,
                progress => return progress,
            }
        }
        Progress::Done(Flow::Next)
    }

    /// Runs one hook, or its fallback if the hook has failed.
    #[inline]
    fn step(&mut self, index: usize, task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        let (plan, event) = (self.outcome.plan, self.event);
        let step = &plan.steps[index];
        let (handler, cx, span) = if step.is_plain() && self.own.is_empty() && self.outcome.rare.is_none() {
            (&step.handler, self.cx, None)
        } else {
            match self.prepare(index, step) {
                Some(prepared) => prepared,
                None => return Progress::Done(Flow::Next),
            }
        };
        let mut call = || call::write(handler, step.blocking(), cx, event, &mut self.subject);
        let call = match span {
            None => call(),
            Some(span) => call::write_within::<K>(span, call),
        };
        Progress::Done(match call {
            WriterCall::Read(answer) => match self.admit(index, answer, |verdict| verdict) {
                Ok(answer) => self.read(index, answer),
                Err(flow) => flow,
            },
            WriterCall::Lent(answer) => match self.admit(index, answer, |verdict| verdict) {
                Ok(answer) => self.lent(index, answer),
                Err(flow) => flow,
            },
            WriterCall::Owned(answer) => self.admit_owned(index, answer),
            WriterCall::Waits(mut future) => {
                let Some(task) = task else { return Progress::Waits(index, future) };
                let Poll::Ready(answer) = future.as_mut().poll(task) else { return Progress::Waits(index, future) };
                // Dropping the future may panic, which counts as the hook's failure.
                drop(future);
                self.admit_owned(index, answer)
            }
            WriterCall::Launch => match self.outcome.launch(index, cx, event, &self.subject.committed) {
                Ok(()) => Flow::Next,
                Err(fail) => self.outcome.failed(index, fail),
            },
        })
    }

    /// The handler that runs for a step with options, or with listeners, and its context and span. `None` if the hook
    /// does not run.
    fn prepare(&mut self, index: usize, step: &'a Step<K>) -> Option<(&'a Handler<K>, &'a HookContext, Option<Span>)> {
        let handler = match step.fallback().filter(|_| self.outcome.falls_back(index)) {
            Some(fallback) => fallback,
            None if !step.runs(self.event, self.cx) => return None,
            None => {
                if let Some(log) = self.outcome.log() {
                    log.start(index);
                }
                &step.handler
            }
        };
        let cx = context_of(self.own, self.cx, index);
        Some((handler, cx, self.outcome.span(index, cx)))
    }

    /// Waits for an async writer that returned `Pending` from its first poll.
    async fn finish_writer(&mut self, index: usize, future: WriterFuture<'a, K>) -> Flow {
        let timeout = self.outcome.plan.steps[index].timeout;
        let flow = match wait_for(future, timeout, self.cx.cancellation()).await {
            // The returned subject is compared and checked by app code, which may panic too.
            Ok(answer) => catch(|| self.admit_owned(index, answer)),
            Err(NoAnswer::Failed(fail)) => Ok(self.failed(index, fail)),
            Err(NoAnswer::Stopped(stopped)) => Ok(self.outcome.stop(stopped.at(index))),
        };
        flow.unwrap_or_else(|panic| self.panicked(index, panic))
    }
}

/// The context of a hook: its own, or the dispatch's.
#[inline]
pub(super) fn context_of<'a>(own: &'a [Option<HookContext>], cx: &'a HookContext, index: usize) -> &'a HookContext {
    own.get(index).and_then(Option::as_ref).unwrap_or(cx)
}
