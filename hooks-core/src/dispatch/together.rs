//! Hooks that may wait: readers of one stage together, a writer on its own.

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::HookContext;
use crate::hook::{Answer, BoxFuture, Handler};
use crate::kind::HookKind;
use crate::panics::catch;

use super::guarded::{Guarded, NoTimer};
use super::tally::{Fail, Flow, Stop, Tally};

/// What a hook that may wait came to.
pub(super) enum Outcome<T> {
    Done(T),
    Failed(Fail),
    Ended(Ended),
}

/// The dispatch ends here, by no fault of the hook.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    Cancelled,
    NoRuntime,
}

impl Ended {
    pub(super) fn at(self, index: usize) -> Stop {
        match self {
            Self::Cancelled => Stop::Cancelled(index),
            Self::NoRuntime => Stop::NoRuntime(index),
        }
    }
}

/// A hook's first poll: done, or waiting.
enum First<'a, T> {
    Now(Outcome<T>),
    Later(Guarded<'a, T>),
}

/// Calls the hook and polls it once. One `catch_unwind` covers the call, the poll and the drop of what is done.
#[inline]
fn first_poll<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, T>,
    timeout: Option<Duration>,
    task: &mut Context<'_>,
) -> First<'a, T> {
    let polled = catch(|| {
        let mut future = call();
        match future.as_mut().poll(task) {
            Poll::Ready(answer) => {
                drop(future);
                Ok(answer)
            }
            Poll::Pending => Err(future),
        }
    });
    match polled {
        Ok(Ok(answer)) => First::Now(Outcome::Done(answer)),
        Ok(Err(future)) => match Guarded::waiting(future, timeout) {
            Ok(guarded) => First::Later(guarded),
            Err(NoTimer) => First::Now(Outcome::Ended(Ended::NoRuntime)),
        },
        Err(panic) => First::Now(Outcome::Failed(Fail::Panicked(panic))),
    }
}

/// Runs one hook to its end.
pub(super) async fn run_alone<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, T>,
    timeout: Option<Duration>,
    cancellation: Option<&CancellationToken>,
) -> Outcome<T> {
    let mut call = Some(call);
    let first = poll_fn(|task| match call.take() {
        Some(call) => Poll::Ready(first_poll(call, timeout, task)),
        None => Poll::Pending,
    })
    .await;
    match first {
        First::Now(outcome) => outcome,
        First::Later(mut guarded) => {
            let poll = |task: &mut Context<'_>| {
                guarded.poll(task).map(|polled| match polled {
                    Ok(answer) => Outcome::Done(answer),
                    Err(fail) => Outcome::Failed(fail),
                })
            };
            until_cancelled(cancellation, poll).await.unwrap_or(Outcome::Ended(Ended::Cancelled))
        }
    }
}

/// Polls until done; `None` where the token was cancelled first.
async fn until_cancelled<T>(
    cancellation: Option<&CancellationToken>,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let Some(token) = cancellation else { return Some(poll_fn(poll).await) };
    let mut cancelled = pin!(token.cancelled());
    poll_fn(|task| {
        if let Poll::Ready(done) = poll(task) {
            return Poll::Ready(Some(done));
        }
        cancelled.as_mut().poll(task).map(|()| None)
    })
    .await
}

/// Runs the readers of a stage together. Answers are folded in the order of the plan, whoever is done first.
pub(super) async fn run_together<K: HookKind>(
    cx: &HookContext,
    event: &K,
    subject: &K::Subject,
    range: Range<usize>,
    tally: &mut Tally<'_, K>,
) -> Flow {
    let mut stage = Stage::<K> { waiting: Vec::new(), done: Vec::new(), polls: 0 };
    let started = poll_fn(|task| Poll::Ready(stage.start(cx, event, subject, range.clone(), tally, task))).await;
    if started == Flow::Stop || stage.waiting.is_empty() {
        return started;
    }
    let poll = |task: &mut Context<'_>| stage.poll(tally, task);
    if until_cancelled(cx.cancellation(), poll).await.is_none() {
        stage.cancelled();
    }
    stage.fold(tally)
}

type ReadAnswer<K> = Outcome<Answer<<K as HookKind>::Verdict>>;

struct Stage<'a, K: HookKind> {
    waiting: Vec<(usize, Guarded<'a, Answer<K::Verdict>>)>,
    /// Answers that wait for an earlier hook of the stage, in no order.
    done: Vec<(usize, ReadAnswer<K>)>,
    /// How often those that wait were polled.
    polls: usize,
}

impl<'a, K: HookKind> Stage<'a, K> {
    /// Polls each hook once. As long as none has to wait, answers are folded at once.
    fn start(
        &mut self,
        cx: &'a HookContext,
        event: &'a K,
        subject: &'a K::Subject,
        range: Range<usize>,
        tally: &mut Tally<'_, K>,
        task: &mut Context<'_>,
    ) -> Flow {
        let plan = tally.plan;
        for index in range {
            let step = &plan.steps[index];
            if plan.filtered && !step.matches(event) {
                continue;
            }
            if let Some(log) = &mut tally.log {
                log.start(index);
            }
            let first = match &step.handler {
                Handler::ReadAsync(hook) => first_poll(|| hook(cx, event, subject), step.timeout, task),
                Handler::Read(hook) => First::Now(match catch(|| hook(cx, event, subject)) {
                    Ok(answer) => Outcome::Done(answer),
                    Err(panic) => Outcome::Failed(Fail::Panicked(panic)),
                }),
                // Writers are no readers.
                Handler::Lend(_) | Handler::Own(_) | Handler::OwnAsync(_) => continue,
            };
            match first {
                First::Now(outcome) if self.waiting.is_empty() => {
                    if fold_one(index, outcome, tally) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                First::Now(outcome) => {
                    if self.set_aside(index, outcome, tally) {
                        // Whatever the earlier ones say, nothing after this one counts.
                        return Flow::Go;
                    }
                }
                First::Later(guarded) => self.waiting.push((index, guarded)),
            }
        }
        Flow::Go
    }

    /// Keeps an answer until the earlier ones are there. Returns whether it ends the stage.
    fn set_aside(&mut self, index: usize, outcome: ReadAnswer<K>, tally: &mut Tally<'_, K>) -> bool {
        if let Some(log) = &mut tally.log {
            log.ended(index);
        }
        let ends = ends_chain(&outcome, index, tally);
        self.done.push((index, outcome));
        ends
    }

    /// Polls those that wait; done when none is left. Those after one that ends the stage are dropped.
    ///
    /// A hook may eat the whole budget of the task, so each poll begins with another one: none starves.
    fn poll(&mut self, tally: &mut Tally<'_, K>, task: &mut Context<'_>) -> Poll<()> {
        let count = self.waiting.len();
        self.polls = self.polls.wrapping_add(1);
        let mut last = usize::MAX;
        for turn in 0..count {
            let (index, guarded) = &mut self.waiting[(self.polls % count + turn) % count];
            let index = *index;
            if index > last {
                continue;
            }
            let Poll::Ready(polled) = guarded.poll(task) else { continue };
            let outcome = polled.map_or_else(Outcome::Failed, Outcome::Done);
            if self.set_aside(index, outcome, tally) {
                last = index;
            }
        }
        self.waiting.retain(|(index, guarded)| *index < last && guarded.is_waiting());
        self.done.retain(|(index, _)| *index <= last);
        if self.waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ends the stage at the first hook that still waits: what is done before it counts, it and the others do not.
    fn cancelled(&mut self) {
        let Some(first) = self.waiting.first().map(|(index, _)| *index) else { return };
        self.waiting.clear();
        self.done.retain(|(index, _)| *index < first);
        self.done.push((first, Outcome::Ended(Ended::Cancelled)));
    }

    /// Folds what was set aside, in the order of the plan.
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
fn fold_one<K: HookKind>(index: usize, outcome: ReadAnswer<K>, tally: &mut Tally<'_, K>) -> Flow {
    let folded = match outcome {
        Outcome::Done(Ok(verdict)) => catch(|| tally.decided(index, verdict)),
        Outcome::Done(Err(fault)) => Ok(tally.failed(index, Fail::Fault(fault))),
        Outcome::Failed(fail) => Ok(tally.failed(index, fail)),
        Outcome::Ended(ended) => {
            tally.stop = Some(ended.at(index));
            Ok(Flow::Stop)
        }
    };
    folded.unwrap_or_else(|panic| tally.failed(index, Fail::Panicked(panic)))
}

/// Whether this answer, once folded, ends the chain.
fn ends_chain<K: HookKind>(outcome: &ReadAnswer<K>, index: usize, tally: &Tally<'_, K>) -> bool {
    use crate::hook::{FaultKind, OnFailure};
    use crate::verdict::Verdict as _;

    let failed = || tally.plan.steps[index].on_failure != OnFailure::Continue;
    match outcome {
        Outcome::Done(Ok(verdict)) => verdict.is_final(),
        Outcome::Done(Err(fault)) => matches!(*fault.0, FaultKind::Error(_)) && failed(),
        Outcome::Failed(_) => failed(),
        Outcome::Ended(_) => true,
    }
}
