//! Runs the readers of one stage concurrently. Answers are merged in plan order, whatever the order of completion.

use std::task::{Context, Poll};

use crate::context::HookContext;
use crate::failure::OnFailure;
use crate::handler::{Answer, BoxFuture, Fault, FaultKind, ReadAsyncFn};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Execution, Segment};
use crate::verdict::{Semantics, Verdict};

use super::call::{self, Called, Inputs, ReaderCall};
use super::error::Flow;
use super::outcome::Outcome;
use super::wait::{Waiting, cancelled, until_cancelled};

/// Starts a stage: calls each hook and polls it once. If some must wait, returns the stage to be awaited.
#[inline]
pub(super) fn start<'a, K: HookKind>(
    inputs: Inputs<'a, K>,
    subject: &'a K::Subject,
    segment: &Segment<K>,
    outcome: &mut Outcome<'_, K>,
    task: &mut Context<'_>,
) -> (Flow, Option<Box<Stage<'a, K>>>) {
    let steps = &segment.steps;
    // Listeners need every step reported.
    let lane = match &segment.execution {
        Execution::Concurrent(Some(lane)) if outcome.log().is_none() => Some(&**lane),
        _ => None,
    };
    let mut start = Start { reads: Reads { inputs, subject }, next: steps.start, stage: None };
    loop {
        // One `catch_unwind` covers the hooks up to the first panic.
        let caught = catch(|| match lane {
            Some(lane) => start.lane(lane.get(start.next - steps.start..).unwrap_or_default(), outcome, task),
            None => start.steps(steps.end, outcome, task),
        });
        let flow = match caught {
            Ok(flow) => return (flow, start.stage),
            Err(panic) => start.answered(start.next - 1, Err(Fault::panicked(panic)), outcome),
        };
        match flow {
            Flow::Next => {}
            Flow::FallBack => start.next -= 1,
            Flow::Stop => return (flow, start.stage),
        }
    }
}

/// What readers are called with.
struct Reads<'a, K: HookKind> {
    inputs: Inputs<'a, K>,
    subject: &'a K::Subject,
}

/// A stage whose hooks are being started.
struct Start<'a, K: HookKind> {
    reads: Reads<'a, K>,
    next: usize,
    /// Present once a hook must wait.
    stage: Option<Box<Stage<'a, K>>>,
}

/// A stage with hooks that must wait.
pub(super) struct Stage<'a, K: HookKind> {
    reads: Reads<'a, K>,
    waiting: Vec<(usize, Waiting<'a, K::Verdict>)>,
    /// Answers that wait for an earlier hook of the stage, in plan order.
    done: Vec<(usize, Answer<K::Verdict>)>,
    /// How often the waiting hooks were polled.
    polls: usize,
    /// The first hook whose answer ends the chain. The hooks after it were dropped.
    ended: Option<usize>,
}

impl<'a, K: HookKind> Start<'a, K> {
    /// A loop over function pointers.
    #[inline]
    fn lane(&mut self, lane: &[ReadAsyncFn<K>], outcome: &mut Outcome<'_, K>, task: &mut Context<'_>) -> Flow {
        for hook in lane {
            let index = self.next;
            self.next += 1;
            let Reads { inputs, subject } = self.reads;
            let future = hook(inputs.cx, inputs.event, subject);
            if self.first_poll(index, future, outcome, task) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Next
    }

    #[inline]
    fn steps(&mut self, end: usize, outcome: &mut Outcome<'_, K>, task: &mut Context<'_>) -> Flow {
        while self.next < end {
            let index = self.next;
            self.next += 1;
            match self.step(index, outcome, task) {
                Flow::Next => {}
                Flow::FallBack => self.next = index,
                Flow::Stop => return Flow::Stop,
            }
        }
        Flow::Next
    }

    /// Calls one hook, or its fallback if the hook has failed.
    #[inline]
    fn step(&mut self, index: usize, outcome: &mut Outcome<'_, K>, task: &mut Context<'_>) -> Flow {
        match self.reads.call(index, outcome) {
            None => Flow::Next,
            Some(Called::Answered(answer)) => self.answered(index, answer, outcome),
            Some(Called::Waits(future)) => self.first_poll(index, future, outcome, task),
            Some(Called::Launch) => {
                let Reads { inputs, subject } = self.reads;
                match outcome.launch(index, inputs.cx_of(index), inputs.event, subject) {
                    Ok(()) => Flow::Next,
                    Err(fault) => self.answered(index, Err(fault), outcome),
                }
            }
        }
    }

    #[inline(always)]
    fn first_poll(
        &mut self,
        index: usize,
        mut future: BoxFuture<'a, Answer<K::Verdict>>,
        outcome: &mut Outcome<'_, K>,
        task: &mut Context<'_>,
    ) -> Flow {
        match future.as_mut().poll(task) {
            Poll::Ready(answer) => {
                // Dropping the future may panic, which counts as the hook's failure.
                drop(future);
                self.answered(index, answer, outcome)
            }
            Poll::Pending => self.waits(index, future, outcome),
        }
    }

    /// Merges an answer, or keeps it until the earlier answers have arrived. Returns `Stop` if no later hook should
    /// start.
    #[inline(always)]
    fn answered(&mut self, index: usize, answer: Answer<K::Verdict>, outcome: &mut Outcome<'_, K>) -> Flow {
        let Some(stage) = &mut self.stage else { return outcome.answered(index, answer) };
        let Some(answer) = outcome.unless_fallback(index, answer) else { return Flow::FallBack };
        // Whatever the earlier answers are, nothing after a final answer counts.
        if stage.keep(index, answer, outcome) { Flow::Stop } else { Flow::Next }
    }

    #[cold]
    fn waits(&mut self, index: usize, future: BoxFuture<'a, Answer<K::Verdict>>, outcome: &mut Outcome<'_, K>) -> Flow {
        match Waiting::started(future, outcome.plan.steps[index].timeout) {
            Ok(waiting) => {
                let Reads { inputs, subject } = self.reads;
                let stage = self.stage.get_or_insert_with(|| Box::new(Stage::new(Reads { inputs, subject })));
                stage.waiting.push((index, waiting));
                Flow::Next
            }
            Err(fault) => self.answered(index, Err(fault), outcome),
        }
    }
}

impl<'a, K: HookKind> Reads<'a, K> {
    /// Calls a hook, or its fallback if the hook has failed. `None` if the hook does not run.
    #[inline(always)]
    fn call(&self, index: usize, outcome: &mut Outcome<'_, K>) -> Option<ReaderCall<'a, K::Verdict>> {
        let (handler, cx, span) = self.inputs.prepare(index, outcome)?;
        let blocking = outcome.plan.steps[index].blocking();
        let call = || call::read(handler, blocking, cx, self.inputs.event, self.subject);
        Some(match span {
            None => call(),
            Some(span) => call::within(span, call),
        })
    }

    /// Calls the fallback of a hook that has failed. The error is its answer, if it does not wait.
    #[cold]
    fn fall_back(
        &self,
        index: usize,
        outcome: &mut Outcome<'_, K>,
    ) -> Result<Waiting<'a, K::Verdict>, Answer<K::Verdict>> {
        match catch(|| self.call(index, outcome)) {
            Ok(Some(Called::Answered(answer))) => Err(answer),
            Ok(Some(Called::Waits(future))) => Ok(Waiting::new(future, outcome.plan.steps[index].timeout)),
            // A fallback has the form of its hook, which is not detached.
            Ok(Some(Called::Launch) | None) => Err(Ok(().into())),
            Err(panic) => Err(Err(Fault::panicked(panic))),
        }
    }
}

impl<'a, K: HookKind> Stage<'a, K> {
    fn new(reads: Reads<'a, K>) -> Self {
        Self { reads, waiting: Vec::new(), done: Vec::new(), polls: 0, ended: None }
    }

    /// Waits for the waiting hooks and merges the kept answers in plan order.
    pub(super) async fn finish(mut self: Box<Self>, cx: &HookContext, outcome: &mut Outcome<'_, K>) -> Flow {
        if until_cancelled(cx.cancellation(), |task| self.poll(outcome, task)).await.is_none() {
            self.cancelled();
        }
        for (index, answer) in std::mem::take(&mut self.done) {
            let mut flow = merge(index, answer, outcome);
            if flow == Flow::FallBack {
                // The app's own verdict panicked when it was merged.
                let answer = match self.reads.fall_back(index, outcome) {
                    Ok(waiting) => Box::pin(waiting.answer(cx.cancellation())).await,
                    Err(answer) => answer,
                };
                flow = merge(index, answer, outcome);
            }
            if flow == Flow::Stop {
                return flow;
            }
        }
        self.ended.map_or(Flow::Next, |last| self.fail_dropped(last, outcome))
    }

    /// Handles an answer that should have ended the chain but did not: the app's verdict panicked when merged, or was
    /// final on its own but not once merged. The hooks that were dropped because of it gave no answer. Continuing as if
    /// they agreed would open a gate, so they count as failed.
    #[cold]
    fn fail_dropped(&self, last: usize, outcome: &mut Outcome<'_, K>) -> Flow {
        let plan = outcome.plan;
        let later = plan.steps.iter().enumerate().skip(last + 1);
        for (index, step) in later.take_while(|(_, step)| step.stage == plan.steps[last].stage) {
            if !catch(|| step.runs(self.reads.inputs.event, self.reads.inputs.cx)).unwrap_or(true) {
                continue;
            }
            let fault =
                || Fault::error("dropped because of an earlier hook's final verdict, which did not end the chain");
            let mut flow = outcome.failed(index, fault());
            if flow == Flow::FallBack {
                flow = outcome.failed(index, fault());
            }
            if flow == Flow::Stop {
                return flow;
            }
        }
        Flow::Next
    }

    /// Keeps an answer and returns whether it ends the chain.
    fn keep(&mut self, index: usize, answer: Answer<K::Verdict>, outcome: &mut Outcome<'_, K>) -> bool {
        outcome.record(|log| log.ended(index));
        // `is_final` may be app code. If it panics, so does merging, which makes it the hook's failure.
        let ends = catch(|| ends_chain(&answer, index, outcome)).unwrap_or(false);
        if ends {
            self.ended = Some(self.ended.map_or(index, |first| first.min(index)));
        }
        let at = self.done.partition_point(|(earlier, _)| *earlier < index);
        self.done.insert(at, (index, answer));
        ends
    }

    /// Polls the waiting hooks; ready when none is left. Hooks after a final answer are dropped.
    ///
    /// A hook may use up the task's budget, so each poll starts with a different hook and none starves.
    fn poll(&mut self, outcome: &mut Outcome<'_, K>, task: &mut Context<'_>) -> Poll<()> {
        let count = self.waiting.len();
        self.polls = self.polls.wrapping_add(1);
        let mut last = usize::MAX;
        for turn in 0..count {
            let at = (self.polls % count + turn) % count;
            let index = self.waiting[at].0;
            if index > last {
                continue;
            }
            let Poll::Ready(answer) = self.poll_one(at, outcome, task) else { continue };
            if self.keep(index, answer, outcome) {
                last = index;
            }
        }
        self.waiting.retain(|(index, waiting)| *index < last && waiting.is_waiting());
        self.done.retain(|(index, _)| *index <= last);
        if self.waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Polls a waiting hook, and then its fallback if the hook failed.
    fn poll_one(
        &mut self,
        at: usize,
        outcome: &mut Outcome<'_, K>,
        task: &mut Context<'_>,
    ) -> Poll<Answer<K::Verdict>> {
        let (index, waiting) = &mut self.waiting[at];
        loop {
            let Poll::Ready(answer) = waiting.poll(task) else { return Poll::Pending };
            if let Some(answer) = outcome.unless_fallback(*index, answer) {
                return Poll::Ready(answer);
            }
            match self.reads.fall_back(*index, outcome) {
                Ok(fallback) => *waiting = fallback,
                Err(answer) => return Poll::Ready(answer),
            }
        }
    }

    /// Ends the stage at the first hook that is still waiting: answers before it count, it and the others do not.
    fn cancelled(&mut self) {
        let Some(first) = self.waiting.first().map(|(index, _)| *index) else { return };
        self.waiting.clear();
        self.done.retain(|(index, _)| *index < first);
        self.done.push((first, Err(cancelled())));
    }
}

/// Merges one answer. The verdict may be a type of the app, whose `merge` may panic.
fn merge<K: HookKind>(index: usize, answer: Answer<K::Verdict>, outcome: &mut Outcome<'_, K>) -> Flow {
    catch(|| outcome.answered(index, answer)).unwrap_or_else(|panic| outcome.failed(index, Fault::panicked(panic)))
}

/// Whether this answer ends the chain once it is merged.
fn ends_chain<K: HookKind>(answer: &Answer<K::Verdict>, index: usize, outcome: &Outcome<'_, K>) -> bool {
    match answer {
        Err(fault) if matches!(*fault.0, FaultKind::Cancelled | FaultKind::NoRuntime) => true,
        _ if outcome.is_shadow(index) => false,
        Ok(verdict) => verdict.is_final(),
        // At a gate, a halt is a denial.
        Err(fault) if fault.is_halt() => K::IN_TURN && matches!(K::SEMANTICS, Semantics::Gate),
        Err(fault) => fault.is_failure() && outcome.plan.steps[index].on_failure != OnFailure::Continue,
    }
}
