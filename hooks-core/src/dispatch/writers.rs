//! Async writers, one after the other, with the plain functions between them.

use std::ops::Range;
use std::task::{Context, Poll};

use crate::hook::{Answer, BoxFuture, Effect, Handler, OwnAsync, call};
use crate::kind::HookKind;
use crate::panics::catch;

use super::chain::Chain;
use super::tally::Flow;
use super::wait::{Ended, wait_for};

pub(super) type WriterFuture<'a, K> = BoxFuture<'a, Answer<Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>>>;

/// How far a sequence got.
pub(super) enum Written<'a, K: HookKind> {
    /// To its end, or to where the chain stops.
    All(Flow),
    /// To an async writer that has to wait.
    UpTo(usize, WriterFuture<'a, K>),
}

impl<'a, K: HookKind> Chain<'a, K> {
    /// Runs steps one after the other, up to an async writer that has to wait.
    #[inline]
    pub(super) fn write(&mut self, range: Range<usize>, task: &mut Context<'_>) -> Written<'a, K> {
        let mut next = range.start;
        loop {
            let flow = match catch(|| self.steps(&mut next, range.end, task)) {
                Ok(written) => return written,
                Err(panic) => self.panicked(next - 1, panic),
            };
            if flow == Flow::Stop {
                return Written::All(flow);
            }
        }
    }

    #[inline]
    fn steps(&mut self, next: &mut usize, end: usize, task: &mut Context<'_>) -> Written<'a, K> {
        let (plan, cx, event) = (self.tally.plan, self.cx, self.event);
        for step in plan.steps.get(*next..end).unwrap_or_default() {
            let index = *next;
            *next += 1;
            let flow = match &step.handler {
                Handler::OwnAsync(hook) => {
                    if !self.select(index) {
                        continue;
                    }
                    let mut future = call!(OwnAsync::hook(cx, event, self.draft.give()));
                    let Poll::Ready(answer) = future.as_mut().poll(task) else { return Written::UpTo(index, future) };
                    // What the future still holds may panic when it is dropped; the hook has failed then.
                    drop(future);
                    self.owned(index, answer)
                }
                _ => self.step(index),
            };
            if flow == Flow::Stop {
                return Written::All(flow);
            }
        }
        Written::All(Flow::Go)
    }

    /// Waits for an async writer that was polled once.
    pub(super) async fn finish_writer(&mut self, index: usize, future: WriterFuture<'a, K>) -> Flow {
        let timeout = self.tally.plan.steps[index].timeout;
        let flow = match wait_for(future, timeout, self.cx.cancellation()).await {
            // The subject that comes back is compared and checked with code of the app, which may panic too.
            Ok(answer) => catch(|| self.owned(index, answer)),
            Err(Ended::Failed(fail)) => Ok(self.tally.failed(index, fail)),
            Err(Ended::Stopped(stopped)) => Ok(self.tally.stop(stopped.at(index))),
        };
        flow.unwrap_or_else(|panic| self.panicked(index, panic))
    }
}
