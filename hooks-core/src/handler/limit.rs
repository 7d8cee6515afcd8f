//! Limits of a hook: what it may contribute, and how long it may take.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use super::{Answer, Call, Detached, Fault, Handler, Read, ReadAsync, Replace, ReplaceAsync, Write, call};
use crate::failure::FailureKind;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::verdict::{Capabilities, Verdict};

impl<K: HookKind> Handler<K> {
    /// Makes every answer a failure that contributes something else than `held`. Only hooks with the option pay for the
    /// check.
    pub(crate) fn limited(self, id: HookId, held: Capabilities) -> Self {
        let judge = move |verdict: &K::Verdict| match verdict.lacks(held) {
            None => Ok(()),
            Some(lacking) => Err(Fault::failed(
                FailureKind::CapabilityMissing,
                format!(
                    "it contributes `{lacking}`, but `{id}` may contribute only {held}; add `{lacking}` to its `capabilities`"
                ),
            )),
        };
        let admit = {
            let judge = judge.clone();
            move |answer: Answer<K::Verdict>| answer.and_then(|verdict| judge(&verdict).map(|()| verdict))
        };
        let admit_effect = move |answer: Answer<super::Effect<K::Subject, K::Verdict>>| {
            answer.and_then(|effect| judge(&effect.verdict).map(|()| effect))
        };
        match self {
            Call::Read(hook) => Self::read(move |cx, event, subject| admit(call!(Read::&hook(cx, event, subject)))),
            Call::Write(hook) => Self::write(move |cx, event, subject| admit(call!(Write::&hook(cx, event, subject)))),
            Call::Replace(hook) => {
                Self::replace(move |cx, event, subject| admit_effect(call!(Replace::&hook(cx, event, subject))))
            }
            Call::ReadAsync(hook) => Self::read_async(move |cx, event, subject| {
                let (answer, admit) = (call!(ReadAsync::&hook(cx, event, subject)), admit.clone());
                Box::pin(async move { admit(answer.await) })
            }),
            Call::ReplaceAsync(hook) => Self::replace_async(move |cx, event, subject| {
                let (answer, admit) = (call!(ReplaceAsync::&hook(cx, event, subject)), admit_effect.clone());
                Box::pin(async move { admit(answer.await) })
            }),
            Call::Detached(hook) => Self::detached(move |cx, event, subject| {
                let (answer, admit) = (call!(Detached::&hook(cx, event, subject)), admit.clone());
                Box::pin(async move { admit(answer.await) })
            }),
        }
    }

    /// Makes an answer that comes after `limit` a timeout, even if the hook blocked its thread, so that no timer could
    /// fire in time. Plain functions stay as they are: nothing can interrupt them.
    pub(crate) fn punctual(self, limit: Duration) -> Self {
        match self {
            Call::ReadAsync(hook) => Self::read_async(move |cx, event, subject| {
                let start = Instant::now();
                let answer = call!(ReadAsync::&hook(cx, event, subject));
                Box::pin(in_time(start, limit, answer))
            }),
            Call::ReplaceAsync(hook) => Self::replace_async(move |cx, event, subject| {
                let start = Instant::now();
                let answer = call!(ReplaceAsync::&hook(cx, event, subject));
                Box::pin(in_time(start, limit, answer))
            }),
            Call::Detached(hook) => Self::detached(move |cx, event, subject| {
                let start = Instant::now();
                let answer = call!(Detached::&hook(cx, event, subject));
                Box::pin(in_time(start, limit, answer))
            }),
            plain @ (Call::Read(_) | Call::Write(_) | Call::Replace(_)) => plain,
        }
    }
}

async fn in_time<T>(start: Instant, limit: Duration, answer: impl Future<Output = Answer<T>>) -> Answer<T> {
    let answer = answer.await;
    if start.elapsed() > limit { Err(Fault::timed_out(limit)) } else { answer }
}
