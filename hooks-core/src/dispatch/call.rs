//! Calls a hook's handler, whatever its form.

use tracing::Span;

use crate::context::HookContext;
use crate::handler::{
    Answer, BoxFuture, Effect, Handler, Read, ReadAsync, Replace, ReplaceAsync, Write, call, effect_of,
};
use crate::hook::CloneEvent;
use crate::kind::HookKind;

use super::pool::on_pool;
use super::span::in_span;
use super::transaction::Transaction;

pub(super) type EffectOf<K> = Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>;

/// The result of calling a reader.
pub(super) enum ReaderCall<'a, V> {
    Answered(Answer<V>),
    Waits(BoxFuture<'a, Answer<V>>),
    /// The hook is detached or background: it must be launched.
    Launch,
}

/// The result of calling a hook outside of the stages of readers.
pub(super) enum WriterCall<'a, K: HookKind> {
    Read(Answer<K::Verdict>),
    Lent(Answer<K::Verdict>),
    Owned(Answer<EffectOf<K>>),
    Waits(BoxFuture<'a, Answer<EffectOf<K>>>),
    /// The hook is detached or background: it must be launched.
    Launch,
}

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
            None => ReaderCall::Answered(call!(Read::hook(cx, event, subject))),
            Some(own) => {
                let (hook, cx, event, subject) = (hook.clone(), cx.clone(), own(event), subject.clone());
                ReaderCall::Waits(on_pool(move || call!(Read::hook(&cx, &event, &subject))))
            }
        },
        Handler::ReadAsync(hook) => ReaderCall::Waits(call!(ReadAsync::hook(cx, event, subject))),
        // A stage of readers contains no writers.
        Handler::Detached(_) | Handler::Write(_) | Handler::Replace(_) | Handler::ReplaceAsync(_) => ReaderCall::Launch,
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
        Handler::Read(hook) => WriterCall::Read(call!(Read::hook(cx, event, &subject.committed))),
        Handler::Write(hook) => match blocking {
            None => WriterCall::Lent(call!(Write::hook(cx, event, subject.lend()))),
            Some(own) => {
                let (hook, cx, event, mut subject) = (hook.clone(), cx.clone(), own(event), subject.give());
                WriterCall::Waits(on_pool(move || {
                    let answer = call!(Write::hook(&cx, &event, &mut subject));
                    effect_of(subject, answer)
                }))
            }
        },
        Handler::Replace(hook) => match blocking {
            None => WriterCall::Owned(call!(Replace::hook(cx, event, subject.give()))),
            Some(own) => {
                let (hook, cx, event, subject) = (hook.clone(), cx.clone(), own(event), subject.give());
                WriterCall::Waits(on_pool(move || call!(Replace::hook(&cx, &event, subject))))
            }
        },
        Handler::ReplaceAsync(hook) => WriterCall::Waits(call!(ReplaceAsync::hook(cx, event, subject.give()))),
        // Async readers are always part of a stage of readers.
        Handler::Detached(_) | Handler::ReadAsync(_) => WriterCall::Launch,
    }
}

/// Like [`read`], inside a span.
#[cold]
pub(super) fn read_within<'a, K: HookKind>(
    span: Span,
    call: impl FnOnce() -> ReaderCall<'a, K::Verdict>,
) -> ReaderCall<'a, K::Verdict> {
    match span.in_scope(call) {
        ReaderCall::Waits(future) => ReaderCall::Waits(in_span(Some(span), future)),
        call => call,
    }
}

/// Like [`write`], inside a span.
#[cold]
pub(super) fn write_within<'a, K: HookKind>(span: Span, call: impl FnOnce() -> WriterCall<'a, K>) -> WriterCall<'a, K> {
    match span.in_scope(call) {
        WriterCall::Waits(future) => WriterCall::Waits(in_span(Some(span), future)),
        call => call,
    }
}
