//! How hooks are called, and with what.

use tracing::Span;

use crate::context::HookContext;
use crate::handler::{
    Answer, BoxFuture, Effect, Handler, Read, ReadAsync, ReadFn, Replace, ReplaceAsync, Write, call, effect_of,
};
use crate::hook::CloneEvent;
use crate::kind::HookKind;
use crate::panics::catch;
use crate::verdict::Verdict;

use super::outcome::Outcome;
use super::pool::on_pool;
use super::span::in_span;

/// The event and the contexts of a dispatch.
pub(super) struct Inputs<'a, K: HookKind> {
    pub(super) cx: &'a HookContext,
    /// The contexts of hooks that have one of their own, by index.
    pub(super) hook_cxs: &'a [Option<HookContext>],
    pub(super) event: &'a K,
}

impl<K: HookKind> Clone for Inputs<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HookKind> Copy for Inputs<'_, K> {}

/// The handler that runs for a step, with its context and span.
pub(super) type Prepared<'p, 'a, K> = (&'p Handler<K>, &'a HookContext, Option<Span>);

impl<'a, K: HookKind> Inputs<'a, K> {
    /// The context of a hook: its own, or the dispatch's.
    #[inline]
    pub(super) fn cx_of(self, index: usize) -> &'a HookContext {
        self.hook_cxs.get(index).and_then(Option::as_ref).unwrap_or(self.cx)
    }

    /// Prepares the call of a hook, or of its fallback if the hook has failed. `None` if the hook does not run.
    #[inline]
    pub(super) fn prepare<'p>(self, index: usize, outcome: &mut Outcome<'p, K>) -> Option<Prepared<'p, 'a, K>> {
        let step = &outcome.plan.steps[index];
        let handler = match step.fallback().filter(|_| outcome.falls_back(index)) {
            Some(fallback) => fallback,
            None if !step.runs(self.event, self.cx) => return None,
            None => {
                outcome.record(|log| log.start(index));
                &step.handler
            }
        };
        let cx = self.cx_of(index);
        Some((handler, cx, outcome.span(index, cx)))
    }
}

/// The subject of a dispatch as a transaction.
///
/// Holds the committed subject and a scratch copy. Hooks write only to the scratch, so dropping it reverts a failed
/// hook. A hook that changes nothing leaves the scratch equal to the committed subject, and the next writer reuses it:
/// a chain without changes costs one clone, whatever its length.
pub(super) struct Transaction<S> {
    pub(super) committed: S,
    pub(super) scratch: Option<S>,
}

impl<S: Clone> Transaction<S> {
    pub(super) fn new(subject: S) -> Self {
        Self { committed: subject, scratch: None }
    }

    /// Returns the scratch to be changed in place.
    #[inline]
    pub(super) fn lend(&mut self) -> &mut S {
        self.scratch.get_or_insert_with(|| self.committed.clone())
    }

    /// Returns the scratch by value.
    #[inline]
    pub(super) fn give(&mut self) -> S {
        self.scratch.take().unwrap_or_else(|| self.committed.clone())
    }
}

pub(super) type EffectOf<K> = Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>;

/// The result of calling a hook: its answer, or the future of one.
pub(super) enum Called<'a, A, T> {
    Answered(A),
    Waits(BoxFuture<'a, T>),
    /// The hook is detached or background: it must be launched.
    Launch,
}

/// The answer of a plain function outside of the stages of readers.
pub(super) enum WriterAnswer<K: HookKind> {
    Read(Answer<K::Verdict>),
    Lent(Answer<K::Verdict>),
    Owned(Answer<EffectOf<K>>),
}

pub(super) type ReaderCall<'a, V> = Called<'a, Answer<V>, Answer<V>>;
pub(super) type WriterCall<'a, K> = Called<'a, WriterAnswer<K>, Answer<EffectOf<K>>>;

/// Calls a hook of a stage of readers.
#[inline(always)]
pub(super) fn read<'a, K: HookKind>(
    handler: &Handler<K>,
    blocking: Option<CloneEvent<K>>,
    cx: &'a HookContext,
    event: &'a K,
    subject: &'a K::Subject,
) -> ReaderCall<'a, K::Verdict> {
    match handler {
        Handler::Read(hook) => match blocking {
            None => Called::Answered(call!(Read::hook(cx, event, subject))),
            Some(own) => {
                let (hook, cx, event, subject) = (hook.clone(), cx.clone(), own(event), subject.clone());
                Called::Waits(on_pool(move || call!(Read::hook(&cx, &event, &subject))))
            }
        },
        Handler::ReadAsync(hook) => Called::Waits(call!(ReadAsync::hook(cx, event, subject))),
        // A stage of readers contains no writers.
        Handler::Detached(_) | Handler::Write(_) | Handler::Replace(_) | Handler::ReplaceAsync(_) => Called::Launch,
    }
}

/// Calls a hook that runs sequentially and may write to the scratch.
#[inline(always)]
pub(super) fn write<'a, K: HookKind>(
    handler: &Handler<K>,
    blocking: Option<CloneEvent<K>>,
    cx: &'a HookContext,
    event: &'a K,
    subject: &mut Transaction<K::Subject>,
) -> WriterCall<'a, K> {
    match handler {
        Handler::Read(hook) => Called::Answered(WriterAnswer::Read(call!(Read::hook(cx, event, &subject.committed)))),
        Handler::Write(hook) => match blocking {
            None => Called::Answered(WriterAnswer::Lent(call!(Write::hook(cx, event, subject.lend())))),
            Some(own) => {
                let (hook, cx, event, mut subject) = (hook.clone(), cx.clone(), own(event), subject.give());
                Called::Waits(on_pool(move || {
                    let answer = call!(Write::hook(&cx, &event, &mut subject));
                    effect_of(subject, answer)
                }))
            }
        },
        Handler::Replace(hook) => match blocking {
            None => Called::Answered(WriterAnswer::Owned(call!(Replace::hook(cx, event, subject.give())))),
            Some(own) => {
                let (hook, cx, event, subject) = (hook.clone(), cx.clone(), own(event), subject.give());
                Called::Waits(on_pool(move || call!(Replace::hook(&cx, &event, subject))))
            }
        },
        Handler::ReplaceAsync(hook) => Called::Waits(call!(ReplaceAsync::hook(cx, event, subject.give()))),
        // Async readers are always part of a stage of readers.
        Handler::Detached(_) | Handler::ReadAsync(_) => Called::Launch,
    }
}

/// Makes a call inside a span.
#[cold]
pub(super) fn within<'a, A, T: 'static>(span: Span, call: impl FnOnce() -> Called<'a, A, T>) -> Called<'a, A, T> {
    match span.in_scope(call) {
        Called::Waits(future) => Called::Waits(in_span(Some(span), future)),
        called => called,
    }
}

/// The first hook of a lane with an effect: its index, and its answer or the message of its panic.
pub(super) type FirstEffect<K> = (usize, Result<Answer<<K as HookKind>::Verdict>, String>);

/// Calls readers up to the first effect. They touch no state of the dispatch, so a lane without an effect needs none.
#[inline(always)]
pub(super) fn read_lane<K: HookKind>(
    lane: &[ReadFn<K>],
    inputs: Inputs<'_, K>,
    subject: &K::Subject,
) -> Option<FirstEffect<K>> {
    let mut called = 0;
    let effect = catch(|| {
        for hook in lane {
            // Counted before the call: if the call panics, the last one counted is the one that did.
            called += 1;
            match hook(inputs.cx, inputs.event, subject) {
                Ok(verdict) if verdict.is_silent() => {}
                answer => return Some(answer),
            }
        }
        None
    });
    let effect = effect.map_or_else(|panic| Some(Err(panic)), |answer| answer.map(Ok))?;
    Some((called - 1, effect))
}
