//! The readers of one stage: async ones concurrently, plain ones in turn. Answers are folded in the order of the plan,
//! whoever is done first.

use std::task::{Context, Poll};

use crate::HookContext;
use crate::hook::{Answer, BoxFuture, FaultKind, Handler, OnFailure, Read, ReadAsync, ReadAsyncFn, call};
use crate::kind::HookKind;
use crate::panics::catch;
use crate::plan::{Segment, Way};
use crate::verdict::Verdict;

use super::tally::{Fail, Flow, Tally};
use super::wait::{Ended, Stopped, Waiting, until_cancelled};

/// Starts a stage: calls each hook and polls it once. Where some have to wait, there is a stage to be awaited.
#[inline]
pub(super) fn start<'a, K: HookKind>(
    cx: &'a HookContext,
    event: &'a K,
    subject: &'a K::Subject,
    segment: &Segment<K>,
    tally: &mut Tally<'_, K>,
    task: &mut Context<'_>,
) -> (Flow, Option<Box<Stage<'a, K>>>) {
    let steps = &segment.steps;
    // Whoever listens is told of every step.
    let lane = match &segment.way {
        Way::Together(Some(lane)) if tally.log().is_none() => Some(&**lane),
        _ => None,
    };
    let mut start = Start { cx, event, subject, next: steps.start, stage: None };
    loop {
        // One `catch_unwind` covers all that do not panic.
        let caught = catch(|| match lane {
            Some(lane) => start.lane(lane.get(start.next - steps.start..).unwrap_or_default(), tally, task),
            None => start.steps(steps.end, tally, task),
        });
        let flow = match caught {
            Ok(flow) => return (flow, start.stage),
            Err(panic) => settle(&mut start.stage, start.next - 1, Err(Ended::Failed(Fail::Panicked(panic))), tally),
        };
        if flow == Flow::Stop {
            return (flow, start.stage);
        }
    }
}

/// A stage while its hooks are started.
struct Start<'a, K: HookKind> {
    cx: &'a HookContext,
    event: &'a K,
    subject: &'a K::Subject,
    next: usize,
    /// There from the first hook on that has to wait.
    stage: Option<Box<Stage<'a, K>>>,
}

type Outcome<K> = Result<Answer<<K as HookKind>::Verdict>, Ended>;

/// A stage of which some hooks have to wait.
pub(super) struct Stage<'a, K: HookKind> {
    waiting: Vec<(usize, Waiting<'a, Answer<K::Verdict>>)>,
    /// Answers that wait for an earlier hook of the stage, in no order.
    done: Vec<(usize, Outcome<K>)>,
    /// How often those that wait were polled.
    polls: usize,
}

impl<'a, K: HookKind> Start<'a, K> {
    /// Nothing but pointers.
    #[inline]
    fn lane(&mut self, lane: &[ReadAsyncFn<K>], tally: &mut Tally<'_, K>, task: &mut Context<'_>) -> Flow {
        for hook in lane {
            let index = self.next;
            self.next += 1;
            let future = hook(self.cx, self.event, self.subject);
            if self.first_poll(index, future, tally, task) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    }

    #[inline]
    fn steps(&mut self, end: usize, tally: &mut Tally<'_, K>, task: &mut Context<'_>) -> Flow {
        let (cx, event, subject) = (self.cx, self.event, self.subject);
        let plan = tally.plan;
        for step in plan.steps.get(self.next..end).unwrap_or_default() {
            let index = self.next;
            self.next += 1;
            if !step.matches(event) {
                continue;
            }
            if let Some(log) = tally.log() {
                log.start(index);
            }
            let flow = match &step.handler {
                Handler::Read(hook) => self.answered(index, call!(Read::hook(cx, event, subject)), tally),
                Handler::ReadAsync(hook) => {
                    self.first_poll(index, call!(ReadAsync::hook(cx, event, subject)), tally, task)
                }
                Handler::Apart(_) => match tally.begin(index, cx, event, subject) {
                    Ok(()) => Flow::Go,
                    Err(fail) => settle(&mut self.stage, index, Err(Ended::Failed(fail)), tally),
                },
                // Writers are no readers.
                Handler::Lend(_) | Handler::Own(_) | Handler::OwnAsync(_) => Flow::Go,
            };
            if flow == Flow::Stop {
                return flow;
            }
        }
        Flow::Go
    }

    #[inline(always)]
    fn first_poll(
        &mut self,
        index: usize,
        mut future: BoxFuture<'a, Answer<K::Verdict>>,
        tally: &mut Tally<'_, K>,
        task: &mut Context<'_>,
    ) -> Flow {
        match future.as_mut().poll(task) {
            Poll::Ready(answer) => {
                // What the future still holds may panic when it is dropped; the hook has failed then.
                drop(future);
                self.answered(index, answer, tally)
            }
            Poll::Pending => self.waits(index, future, tally),
        }
    }

    #[inline(always)]
    fn answered(&mut self, index: usize, answer: Answer<K::Verdict>, tally: &mut Tally<'_, K>) -> Flow {
        match answer {
            Ok(verdict) if self.stage.is_none() => tally.decided(index, verdict),
            answer => settle(&mut self.stage, index, Ok(answer), tally),
        }
    }

    #[cold]
    fn waits(&mut self, index: usize, future: BoxFuture<'a, Answer<K::Verdict>>, tally: &mut Tally<'_, K>) -> Flow {
        match Waiting::new(future, tally.plan.steps[index].timeout) {
            Ok(waiting) => {
                let stage = self.stage.get_or_insert_with(Box::default);
                stage.waiting.push((index, waiting));
                Flow::Go
            }
            Err(stopped) => settle(&mut self.stage, index, Err(Ended::Stopped(stopped)), tally),
        }
    }
}

impl<K: HookKind> Default for Stage<'_, K> {
    fn default() -> Self {
        Self { waiting: Vec::new(), done: Vec::new(), polls: 0 }
    }
}

/// Folds an answer, or keeps it until the earlier ones are there. `Stop` where no later hook is to be started.
fn settle<K: HookKind>(
    stage: &mut Option<Box<Stage<'_, K>>>,
    index: usize,
    outcome: Outcome<K>,
    tally: &mut Tally<'_, K>,
) -> Flow {
    match stage {
        None => fold_one(index, outcome, tally),
        // Whatever the earlier ones say, nothing after an answer that ends the chain counts.
        Some(stage) => {
            if stage.set_aside(index, outcome, tally) {
                Flow::Stop
            } else {
                Flow::Go
            }
        }
    }
}

impl<K: HookKind> Stage<'_, K> {
    /// Waits for those that have to.
    pub(super) async fn finish(mut self: Box<Self>, cx: &HookContext, tally: &mut Tally<'_, K>) -> Flow {
        if until_cancelled(cx.cancellation(), |task| self.poll(tally, task)).await.is_none() {
            self.cancelled();
        }
        self.fold(tally)
    }

    /// Keeps an answer. Returns whether it ends the chain.
    fn set_aside(&mut self, index: usize, outcome: Outcome<K>, tally: &mut Tally<'_, K>) -> bool {
        if let Some(log) = tally.log() {
            log.ended(index);
        }
        // `is_final` may be the app's. Where it panics, so does folding, which makes it the hook's failure.
        let ends = catch(|| ends_chain(&outcome, index, tally)).unwrap_or(false);
        self.done.push((index, outcome));
        ends
    }

    /// Polls those that wait; done when none is left. Those after one that ends the chain are dropped.
    ///
    /// A hook may eat the whole budget of the task, so each poll begins with another one: none starves.
    fn poll(&mut self, tally: &mut Tally<'_, K>, task: &mut Context<'_>) -> Poll<()> {
        let count = self.waiting.len();
        self.polls = self.polls.wrapping_add(1);
        let mut last = usize::MAX;
        for turn in 0..count {
            let (index, waiting) = &mut self.waiting[(self.polls % count + turn) % count];
            let index = *index;
            if index > last {
                continue;
            }
            let Poll::Ready(answer) = waiting.poll(task) else { continue };
            if self.set_aside(index, answer, tally) {
                last = index;
            }
        }
        self.waiting.retain(|(index, waiting)| *index < last && waiting.is_waiting());
        self.done.retain(|(index, _)| *index <= last);
        if self.waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ends the stage at the first hook that still waits: what is done before it counts, it and the others do not.
    fn cancelled(&mut self) {
        let Some(first) = self.waiting.first().map(|(index, _)| *index) else { return };
        self.waiting.clear();
        self.done.retain(|(index, _)| *index < first);
        self.done.push((first, Err(Ended::Stopped(Stopped::Cancelled))));
    }

    /// Folds what was kept, in the order of the plan.
    fn fold(mut self, tally: &mut Tally<'_, K>) -> Flow {
        self.done.sort_by_key(|(index, _)| *index);
        for (index, outcome) in self.done {
            if fold_one(index, outcome, tally) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    }
}

/// Folds one answer in. The verdict may be the app's own type, whose `merge` may panic.
fn fold_one<K: HookKind>(index: usize, outcome: Outcome<K>, tally: &mut Tally<'_, K>) -> Flow {
    match outcome {
        Ok(Ok(verdict)) => {
            catch(|| tally.decided(index, verdict)).unwrap_or_else(|panic| tally.failed(index, Fail::Panicked(panic)))
        }
        Ok(Err(fault)) => {
            catch(|| tally.no_answer(index, fault)).unwrap_or_else(|panic| tally.failed(index, Fail::Panicked(panic)))
        }
        Err(Ended::Failed(fail)) => tally.failed(index, fail),
        Err(Ended::Stopped(stopped)) => tally.stop(stopped.at(index)),
    }
}

/// Whether this answer, once folded, ends the chain.
fn ends_chain<K: HookKind>(outcome: &Outcome<K>, index: usize, tally: &Tally<'_, K>) -> bool {
    let failure_ends = || tally.plan.steps[index].on_failure != OnFailure::Continue;
    match outcome {
        Ok(Ok(verdict)) => verdict.is_final(),
        Ok(Err(fault)) => match &*fault.0 {
            FaultKind::Error(_) | FaultKind::Failed(_) => failure_ends(),
            FaultKind::FellBack(_, answer) => {
                let answer = answer.downcast_ref::<Answer<K::Verdict>>();
                answer.is_some_and(|answer| answer.as_ref().is_ok_and(Verdict::is_final))
            }
            FaultKind::Halt(_) | FaultKind::HaltAndKeep(_) | FaultKind::HaltAndReplace(..) => false,
        },
        Err(Ended::Failed(_)) => failure_ends(),
        Err(Ended::Stopped(_)) => true,
    }
}
