//! One dispatch: the walk of the subject through the plan.

use std::ops::Range;
use std::task::{Context, Poll};

use crate::context::HookContext;
use crate::handler::{Answer, BoxFuture};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Execution, Plan, Segment};

use super::at_once::with_task;
use super::call::{self, EffectOf, WriterCall};
use super::log::{Listeners, Log};
use super::outcome::{Flow, Outcome};
use super::readers::{self, Inputs, Stage};
use super::transaction::Transaction;
use super::wait::{NoAnswer, wait_for};

type WriterFuture<'a, K> = BoxFuture<'a, Answer<EffectOf<K>>>;

/// How far a walk through a plan got: the next segment, and the next step where that is within one.
struct Position {
    segment: usize,
    step: usize,
}

/// Where a walk through a plan stands still.
enum Walk<'s, 'a, K: HookKind> {
    /// At its end, or where the chain stops.
    Ended,
    /// After a stage of readers, some of which may wait.
    Read(Flow, &'s mut Outcome<'a, K>, Option<Box<Stage<'s, K>>>),
    /// At a writer that has to wait.
    Write(usize, WriterFuture<'a, K>),
}

/// How far a sequence of steps got.
enum Progress<'a, K: HookKind> {
    /// Through its steps, or to where the chain stops.
    Done(Flow),
    /// To a writer that has to wait.
    Waits(usize, WriterFuture<'a, K>),
}

pub(super) struct Chain<'a, K: HookKind> {
    cx: &'a HookContext,
    /// The contexts of the hooks that have one of their own.
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
            || tracing::enabled!(target: "hooks_core::dispatch", tracing::Level::DEBUG);
        let log = if listening { Some(Log::new(plan, cx, event, &subject, listeners)) } else { None };
        Self { cx, own, event, subject: Transaction::new(subject), outcome: Outcome::new(plan, log) }
    }

    /// Runs a plan in which nothing waits.
    #[inline]
    pub(super) fn run_sync(&mut self) {
        for segment in &self.outcome.plan.segments {
            let flow = match self.run_lane(segment) {
                Some(flow) => flow,
                None => match self.run_steps(segment.steps.clone(), None) {
                    Progress::Done(flow) => flow,
                    // No plain function waits.
                    Progress::Waits(..) => Flow::Next,
                },
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
                // The walk goes on with the same step, whose fallback it finds.
                Flow::FallBack => at.step = index,
                Flow::Stop => return,
            }
        }
    }

    /// Goes on with the plan, to where something waits, or to the end of a stage of readers, which may wait.
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

    /// Runs a lane; `None` where the segment is none, or where somebody listens, who is given every step.
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

    /// Runs functions of one form, none of which has a fallback. One `catch_unwind` covers all that do not panic.
    #[inline]
    fn lane<F>(&mut self, start: usize, lane: &[F], run: impl Fn(&mut Self, usize, &F) -> Flow) -> Flow {
        let mut next = start;
        loop {
            let caught = catch(|| {
                for hook in lane.get(next - start..).unwrap_or_default() {
                    let index = next;
                    // Noted before the call: if it panics, the one before this is who did.
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

    /// Runs steps one after the other, up to an async writer that has to wait. Without `task` none does.
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

    /// Runs one hook, or its fallback where the hook has failed.
    #[inline]
    fn step(&mut self, index: usize, task: Option<&mut Context<'_>>) -> Progress<'a, K> {
        let (plan, event) = (self.outcome.plan, self.event);
        let step = &plan.steps[index];
        let handler = match step.fallback().filter(|_| self.outcome.falls_back(index)) {
            Some(fallback) => fallback,
            None if !step.runs(event, self.cx) => return Progress::Done(Flow::Next),
            None => {
                if let Some(log) = self.outcome.log() {
                    log.start(index);
                }
                &step.handler
            }
        };
        let cx = context_of(self.own, self.cx, index);
        let span = self.outcome.span(index, cx);
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
                // What the future still holds may panic when it is dropped; the hook has failed then.
                drop(future);
                self.admit_owned(index, answer)
            }
            WriterCall::Launch => match self.outcome.launch(index, cx, event, &self.subject.committed) {
                Ok(()) => Flow::Next,
                Err(fail) => self.outcome.failed(index, fail),
            },
        })
    }

    /// Waits for an async writer that was polled once.
    async fn finish_writer(&mut self, index: usize, future: WriterFuture<'a, K>) -> Flow {
        let timeout = self.outcome.plan.steps[index].timeout;
        let flow = match wait_for(future, timeout, self.cx.cancellation()).await {
            // The subject that comes back is compared and checked with code of the app, which may panic too.
            Ok(answer) => catch(|| self.admit_owned(index, answer)),
            Err(NoAnswer::Failed(fail)) => Ok(self.failed(index, fail)),
            Err(NoAnswer::Stopped(stopped)) => Ok(self.outcome.stop(stopped.at(index))),
        };
        flow.unwrap_or_else(|panic| self.panicked(index, panic))
    }
}

/// The context of a hook: its own, or that of the dispatch.
#[inline]
pub(super) fn context_of<'a>(own: &'a [Option<HookContext>], cx: &'a HookContext, index: usize) -> &'a HookContext {
    own.get(index).and_then(Option::as_ref).unwrap_or(cx)
}
