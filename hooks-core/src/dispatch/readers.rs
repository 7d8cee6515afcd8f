//! Runs the readers of one stage concurrently. Answers are merged in plan order, whatever the order of completion.

use std::task::{Context, Poll};

use crate::context::HookContext;
use crate::failure::OnFailure;
use crate::handler::{Answer, BoxFuture, Fault, FaultKind, Handler, ReadAsyncFn};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Execution, Segment};
use crate::verdict::Verdict;

use super::call::{self, ReaderCall};
use super::chain::context_of;
use super::fail::Fail;
use super::outcome::{Flow, Outcome, in_turn};
use super::wait::{NoAnswer, Stopped, Waiting, finish, until_cancelled};

/// The inputs of the readers of a stage.
pub(super) struct Inputs<'a, K: HookKind> {
    pub(super) cx: &'a HookContext,
    /// The contexts of hooks with their own context.
    pub(super) own: &'a [Option<HookContext>],
    pub(super) event: &'a K,
    pub(super) subject: &'a K::Subject,
}

/// The answer of a reader, or the reason why there is none.
type ReaderAnswer<K> = Result<Answer<<K as HookKind>::Verdict>, NoAnswer>;

/// Starts a stage: calls each hook and polls it once. If some must wait, returns the stage to be awaited.
#[inline]
pub(super) fn start<'a, K: HookKind>(
    inputs: Inputs<'a, K>,
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
    let mut start = Start { inputs, next: steps.start, stage: None };
    loop {
        // One `catch_unwind` covers the hooks up to the first panic.
        let caught = catch(|| match lane {
            Some(lane) => start.lane(lane.get(start.next - steps.start..).unwrap_or_default(), outcome, task),
            None => start.steps(steps.end, outcome, task),
        });
        let flow = match caught {
            Ok(flow) => return (flow, start.stage),
            Err(panic) => start.settle(start.next - 1, Err(NoAnswer::Failed(Fail::Panicked(panic))), outcome),
        };
        match flow {
            Flow::Next => {}
            Flow::FallBack => start.next -= 1,
            Flow::Stop => return (flow, start.stage),
        }
    }
}

/// A stage whose hooks are being started.
struct Start<'a, K: HookKind> {
    inputs: Inputs<'a, K>,
    next: usize,
    /// Present once a hook must wait.
    stage: Option<Box<Stage<'a, K>>>,
}

/// A stage with hooks that must wait.
pub(super) struct Stage<'a, K: HookKind> {
    inputs: Inputs<'a, K>,
    waiting: Vec<(usize, Waiting<'a, Answer<K::Verdict>>)>,
    /// Answers that wait for an earlier hook of the stage, in plan order.
    done: Vec<(usize, ReaderAnswer<K>)>,
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
            let future = hook(self.inputs.cx, self.inputs.event, self.inputs.subject);
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
        let Inputs { cx, event, subject, .. } = self.inputs;
        let step = &outcome.plan.steps[index];
        let handler = match step.fallback().filter(|_| outcome.falls_back(index)) {
            Some(fallback) => fallback,
            None if !step.runs(event, cx) => return Flow::Next,
            None => {
                if let Some(log) = outcome.log() {
                    log.start(index);
                }
                &step.handler
            }
        };
        match self.inputs.call(index, handler, outcome) {
            ReaderCall::Answered(answer) => self.answered(index, answer, outcome),
            ReaderCall::Waits(future) => self.first_poll(index, future, outcome, task),
            ReaderCall::Launch => {
                let cx = context_of(self.inputs.own, self.inputs.cx, index);
                match outcome.launch(index, cx, event, subject) {
                    Ok(()) => Flow::Next,
                    Err(fail) => self.settle(index, Err(NoAnswer::Failed(fail)), outcome),
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

    #[inline(always)]
    fn answered(&mut self, index: usize, answer: Answer<K::Verdict>, outcome: &mut Outcome<'_, K>) -> Flow {
        match answer {
            Ok(verdict) if self.stage.is_none() && outcome.plan.steps[index].extras.is_none() => {
                outcome.decided(index, verdict)
            }
            answer => self.settle(index, Ok(answer), outcome),
        }
    }

    #[cold]
    fn waits(&mut self, index: usize, future: BoxFuture<'a, Answer<K::Verdict>>, outcome: &mut Outcome<'_, K>) -> Flow {
        match Waiting::new(future, outcome.plan.steps[index].timeout) {
            Ok(waiting) => {
                let inputs = self.inputs;
                let stage = self.stage.get_or_insert_with(|| Box::new(Stage::new(inputs)));
                stage.waiting.push((index, waiting));
                Flow::Next
            }
            Err(stopped) => self.settle(index, Err(NoAnswer::Stopped(stopped)), outcome),
        }
    }

    /// Merges an answer, or keeps it until the earlier answers have arrived. Returns `Stop` if no later hook should
    /// start.
    fn settle(&mut self, index: usize, answered: ReaderAnswer<K>, outcome: &mut Outcome<'_, K>) -> Flow {
        let answered = match admit(index, answered, outcome) {
            Ok(answered) => answered,
            Err(_fallback) => return Flow::FallBack,
        };
        let Some(stage) = &mut self.stage else { return merge(index, answered, outcome) };
        // Whatever the earlier answers are, nothing after a final answer counts.
        if stage.keep(index, answered, outcome) { Flow::Stop } else { Flow::Next }
    }
}

impl<K: HookKind> Clone for Inputs<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HookKind> Copy for Inputs<'_, K> {}

impl<'a, K: HookKind> Inputs<'a, K> {
    #[inline(always)]
    fn call(&self, index: usize, handler: &Handler<K>, outcome: &Outcome<'_, K>) -> ReaderCall<'a, K::Verdict> {
        let cx = context_of(self.own, self.cx, index);
        let call = || call::read(handler, outcome.plan.steps[index].blocking(), cx, self.event, self.subject);
        match outcome.span(index, cx) {
            None => call(),
            Some(span) => call::read_within::<K>(span, call),
        }
    }

    /// Runs the fallback of a hook whose answer could not be merged because the app's own verdict panicked.
    #[cold]
    async fn fall_back(&self, index: usize, cx: &HookContext, outcome: &mut Outcome<'_, K>) -> ReaderAnswer<K> {
        let step = &outcome.plan.steps[index];
        let Some(fallback) = step.fallback() else { return Ok(Ok(().into())) };
        let answered = match catch(|| self.call(index, fallback, outcome)) {
            Ok(ReaderCall::Answered(answer)) => Ok(answer),
            Ok(ReaderCall::Waits(future)) => finish(future, step.timeout, cx.cancellation()).await,
            // A fallback has the form of its hook, which is not detached.
            Ok(ReaderCall::Launch) => Ok(Ok(().into())),
            Err(panic) => Err(NoAnswer::Failed(Fail::Panicked(panic))),
        };
        let admitted = catch(|| admit(index, answered, outcome));
        match admitted.unwrap_or_else(|panic| Ok(Err(NoAnswer::Failed(Fail::Panicked(panic))))) {
            Ok(answered) => answered,
            // Unreachable: this was the fallback.
            Err(_fallback) => Ok(Ok(().into())),
        }
    }
}

impl<'a, K: HookKind> Stage<'a, K> {
    fn new(inputs: Inputs<'a, K>) -> Self {
        Self { inputs, waiting: Vec::new(), done: Vec::new(), polls: 0, ended: None }
    }

    /// Waits for the waiting hooks and merges the kept answers in plan order.
    pub(super) async fn finish(mut self: Box<Self>, cx: &HookContext, outcome: &mut Outcome<'_, K>) -> Flow {
        if until_cancelled(cx.cancellation(), |task| self.poll(outcome, task)).await.is_none() {
            self.cancelled();
        }
        for (index, answered) in std::mem::take(&mut self.done) {
            let mut flow = merge(index, answered, outcome);
            if flow == Flow::FallBack {
                let answered = Box::pin(self.inputs.fall_back(index, cx, outcome)).await;
                flow = merge(index, answered, outcome);
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
            if !catch(|| step.runs(self.inputs.event, self.inputs.cx)).unwrap_or(true) {
                continue;
            }
            let fail = || {
                Fail::Fault(Fault::error(
                    "dropped because of an earlier hook's final verdict, which did not end the chain",
                ))
            };
            let mut flow = outcome.failed(index, fail());
            if flow == Flow::FallBack {
                flow = outcome.failed(index, fail());
            }
            if flow == Flow::Stop {
                return flow;
            }
        }
        Flow::Next
    }

    /// Keeps an answer and returns whether it ends the chain.
    fn keep(&mut self, index: usize, answered: ReaderAnswer<K>, outcome: &mut Outcome<'_, K>) -> bool {
        if let Some(log) = outcome.log() {
            log.ended(index);
        }
        // `is_final` may be app code. If it panics, so does merging, which makes it the hook's failure.
        let ends = catch(|| ends_chain(&answered, index, outcome)).unwrap_or(false);
        if ends {
            self.ended = Some(self.ended.map_or(index, |first| first.min(index)));
        }
        let at = self.done.partition_point(|(earlier, _)| *earlier < index);
        self.done.insert(at, (index, answered));
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
            let Poll::Ready(answered) = self.poll_one(at, outcome, task) else { continue };
            if self.keep(index, answered, outcome) {
                last = index;
            }
        }
        self.waiting.retain(|(index, waiting)| *index < last && waiting.is_waiting());
        self.done.retain(|(index, _)| *index <= last);
        if self.waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Polls a waiting hook, and then its fallback if the hook failed.
    fn poll_one(&mut self, at: usize, outcome: &mut Outcome<'_, K>, task: &mut Context<'_>) -> Poll<ReaderAnswer<K>> {
        let (index, waiting) = &mut self.waiting[at];
        let Poll::Ready(mut answered) = waiting.poll(task) else { return Poll::Pending };
        loop {
            // The check may call the app's own verdict, which may panic.
            let admitted = catch(|| admit(*index, answered, outcome));
            let fallback = match admitted.unwrap_or_else(|panic| Ok(Err(NoAnswer::Failed(Fail::Panicked(panic))))) {
                Ok(answered) => return Poll::Ready(answered),
                Err(fallback) => fallback,
            };
            answered = match catch(|| self.inputs.call(*index, fallback, outcome)) {
                Ok(ReaderCall::Answered(answer)) => Ok(answer),
                Ok(ReaderCall::Waits(future)) => match Waiting::new(future, outcome.plan.steps[*index].timeout) {
                    Ok(fresh) => {
                        *waiting = fresh;
                        let Poll::Ready(answered) = waiting.poll(task) else { return Poll::Pending };
                        answered
                    }
                    Err(stopped) => Err(NoAnswer::Stopped(stopped)),
                },
                // A fallback has the form of its hook, which is not detached.
                Ok(ReaderCall::Launch) => Ok(Ok(().into())),
                Err(panic) => Err(NoAnswer::Failed(Fail::Panicked(panic))),
            };
        }
    }

    /// Ends the stage at the first hook that is still waiting: answers before it count, it and the others do not.
    fn cancelled(&mut self) {
        let Some(first) = self.waiting.first().map(|(index, _)| *index) else { return };
        self.waiting.clear();
        self.done.retain(|(index, _)| *index < first);
        self.done.push((first, Err(NoAnswer::Stopped(Stopped::Cancelled))));
    }
}

/// Checks an answer against the hook's capabilities. The error is the fallback to run if the hook failed.
fn admit<'p, K: HookKind>(
    index: usize,
    answered: ReaderAnswer<K>,
    outcome: &mut Outcome<'p, K>,
) -> Result<ReaderAnswer<K>, &'p Handler<K>> {
    let plan = outcome.plan;
    let answered = answered.map(|answer| answer.map_err(in_turn::<K>));
    if plan.steps[index].extras.is_none() {
        return Ok(answered);
    }
    let fail = match answered {
        Ok(Ok(verdict)) => match outcome.capability_missing(index, &verdict) {
            None => return Ok(Ok(Ok(verdict))),
            Some(fail) => fail,
        },
        Ok(Err(Fault(fault))) if matches!(*fault, FaultKind::Error(_)) => Fail::Fault(Fault(fault)),
        Err(NoAnswer::Failed(fail)) => fail,
        halted_or_stopped => return Ok(halted_or_stopped),
    };
    match outcome.fall_back(index, fail) {
        Ok(fallback) => Err(fallback),
        Err(fail) => Ok(Err(NoAnswer::Failed(fail))),
    }
}

/// Merges one answer. The verdict may be a type of the app, whose `merge` may panic.
fn merge<K: HookKind>(index: usize, answered: ReaderAnswer<K>, outcome: &mut Outcome<'_, K>) -> Flow {
    match answered {
        Ok(Ok(verdict)) => catch(|| outcome.decided(index, verdict))
            .unwrap_or_else(|panic| outcome.failed(index, Fail::Panicked(panic))),
        Ok(Err(fault)) => outcome.failed(index, Fail::Fault(fault)),
        Err(NoAnswer::Failed(fail)) => outcome.failed(index, fail),
        Err(NoAnswer::Stopped(stopped)) => outcome.stop(stopped.at(index)),
    }
}

/// Whether this answer ends the chain once it is merged.
fn ends_chain<K: HookKind>(answered: &ReaderAnswer<K>, index: usize, outcome: &Outcome<'_, K>) -> bool {
    let failure_ends = || outcome.plan.steps[index].on_failure != OnFailure::Continue;
    match answered {
        Ok(_) | Err(NoAnswer::Failed(_)) if outcome.is_shadow(index) => false,
        Ok(Ok(verdict)) => verdict.is_final(),
        Ok(Err(fault)) => matches!(*fault.0, FaultKind::Error(_)) && failure_ends(),
        Err(NoAnswer::Failed(_)) => failure_ends(),
        Err(NoAnswer::Stopped(_)) => true,
    }
}
