//! Limits of a hook: what it may contribute, and how long it may take. Only hooks with one pay for the check.

use std::time::Duration;

use tokio::time::Instant;

use super::{Call, Detached, Fault, Handler, Read, ReadAsync, Replace, ReplaceAsync, Write, call};
use crate::failure::FailureKind;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::verdict::{Capabilities, Verdict};

impl<K: HookKind> Handler<K> {
    /// Makes every answer a failure that contributes something else than `held`.
    pub(crate) fn limited(self, id: HookId, held: Capabilities) -> Self {
        let lacks = move |(), verdict: Option<&K::Verdict>| match verdict.and_then(|verdict| verdict.lacks(held)) {
            None => Ok(()),
            Some(lacking) => Err(Fault::failed(
                FailureKind::CapabilityMissing,
                format!(
                    "it contributes `{lacking}`, but `{id}` may contribute only {held}; add `{lacking}` to its `capabilities`"
                ),
            )),
        };
        self.judged(|| (), lacks)
    }

    /// Makes an answer that comes after `limit` a timeout, even if the hook blocked its thread, so that no timer could
    /// fire in time. Plain functions stay as they are: nothing can interrupt them.
    pub(crate) fn punctual(self, limit: Duration) -> Self {
        if matches!(self, Call::Read(_) | Call::Write(_) | Call::Replace(_)) {
            return self;
        }
        let late = move |start: Instant, _: Option<&K::Verdict>| {
            if start.elapsed() > limit { Err(Fault::timed_out(limit)) } else { Ok(()) }
        };
        self.judged(Instant::now, late)
    }

    /// Replaces the answers that `judge` refuses. It gets what `begin` returned before the call, and the verdict, unless
    /// the hook failed.
    fn judged<B: Send + 'static>(
        self,
        begin: impl Fn() -> B + Send + Sync + 'static,
        judge: impl Fn(B, Option<&K::Verdict>) -> Result<(), Fault> + Clone + Send + Sync + 'static,
    ) -> Self {
        macro_rules! at_once {
            ($of:ident, $form:ident, $hook:ident, $answered:pat => $verdict:expr) => {
                Self::$of(move |cx, event, subject| {
                    let (begun, answer) = (begin(), call!($form::$hook(cx, event, subject)));
                    judge(begun, if let $answered = &answer { Some($verdict) } else { None }).and(answer)
                })
            };
        }
        macro_rules! awaited {
            ($of:ident, $form:ident, $hook:ident, $answered:pat => $verdict:expr) => {
                Self::$of(move |cx, event, subject| {
                    let (begun, judge) = (begin(), judge.clone());
                    let answer = call!($form::$hook(cx, event, subject));
                    Box::pin(async move {
                        let answer = answer.await;
                        judge(begun, if let $answered = &answer { Some($verdict) } else { None }).and(answer)
                    })
                })
            };
        }
        match self {
            Call::Read(hook) => at_once!(read, Read, hook, Ok(verdict) => verdict),
            Call::Write(hook) => at_once!(write, Write, hook, Ok(verdict) => verdict),
            Call::Replace(hook) => at_once!(replace, Replace, hook, Ok(effect) => &effect.verdict),
            Call::ReadAsync(hook) => awaited!(read_async, ReadAsync, hook, Ok(verdict) => verdict),
            Call::ReplaceAsync(hook) => awaited!(replace_async, ReplaceAsync, hook, Ok(effect) => &effect.verdict),
            Call::Detached(hook) => awaited!(detached, Detached, hook, Ok(verdict) => verdict),
        }
    }
}
