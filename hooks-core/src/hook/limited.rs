//! A hook that says what it contributes is held to it. What it contributes beyond that is its failure, like any other: it
//! leaves neither a contribution nor a change of the subject.

use super::{
    Answer, Apart, Cause, Effect, Fault, FaultKind, Handler, HookId, Lend, Own, OwnAsync, Read, ReadAsync, call,
};
use crate::kind::HookKind;
use crate::record::{FailureKind, Status};
use crate::verdict::{Capabilities, Verdict};

impl<K: HookKind> Handler<K> {
    /// The same function, held to what it may contribute.
    pub(crate) fn limited(&self, held: Capabilities, id: &HookId) -> Self {
        let limit = Limit { held, id: id.clone() };
        match self.clone() {
            Self::Read(hook) => {
                Self::read(move |cx, event, subject| limit.verdict(call!(Read::&hook(cx, event, subject))))
            }
            Self::Lend(hook) => {
                Self::lend(move |cx, event, subject| limit.verdict(call!(Lend::&hook(cx, event, subject))))
            }
            Self::Own(hook) => Self::own(move |cx, event, subject| limit.effect(call!(Own::&hook(cx, event, subject)))),
            Self::ReadAsync(hook) => Self::read_async(move |cx, event, subject| {
                let (hook, limit) = (hook.clone(), limit.clone());
                Box::pin(async move { limit.verdict(call!(ReadAsync::&hook(cx, event, subject)).await) })
            }),
            Self::OwnAsync(hook) => Self::own_async(move |cx, event, subject| {
                let (hook, limit) = (hook.clone(), limit.clone());
                Box::pin(async move { limit.effect(call!(OwnAsync::&hook(cx, event, subject)).await) })
            }),
            Self::Apart(hook) => Self::apart(move |cx, event, subject| {
                let (hook, limit) = (hook.clone(), limit.clone());
                Box::pin(async move { limit.verdict(call!(Apart::&hook(cx, event, subject)).await) })
            }),
        }
    }
}

#[derive(Clone)]
struct Limit {
    held: Capabilities,
    id: HookId,
}

impl Limit {
    fn verdict<V: Verdict>(&self, answer: Answer<V>) -> Answer<V> {
        answer.and_then(|verdict| self.hold(&verdict).map(|()| verdict))
    }

    fn effect<S, V: Verdict>(&self, answer: Answer<Effect<S, V>>) -> Answer<Effect<S, V>> {
        answer.and_then(|effect| self.hold(&effect.verdict).map(|()| effect))
    }

    fn hold(&self, verdict: &impl Verdict) -> Answer<()> {
        let Self { held, id } = self;
        let Some(lacking) = verdict.lacks(*held) else { return Ok(()) };
        let text =
            format!("it contributes `{lacking}`, and `{id}` may contribute {held}; add it to its `capabilities`");
        let cause = Cause { kind: FailureKind::CapabilityMissing, status: Status::Failed, text };
        Err(Fault(Box::new(FaultKind::Failed(cause))))
    }
}
