//! A hook with a fallback: the two are one hook to a dispatch, which learns from the answer that the first one failed.
//!
//! A rule of the kind that the first one broke is a failure too, so what it left is checked here, before the fallback has
//! to answer, and not only where the dispatch commits it.

use std::any::Any;
use std::future::pending;
use std::time::Duration;

use crate::HookContext;
use crate::hook::{
    Answer, BoxFuture, Cause, Effect, Fault, FaultKind, Handler, Lend, Own, OwnAsync, Read, ReadAsync, call,
};
use crate::kind::HookKind;
use crate::panics::catch;

use super::tally::Fail;
use super::wait::{Ended, finish};

/// The first hook, and the second where that failed. Each has its own deadline.
pub(crate) fn with_fallback<K: HookKind>(
    first: Handler<K>,
    second: Handler<K>,
    timeout: Option<Duration>,
) -> Handler<K> {
    match (first, second) {
        (Handler::Read(first), Handler::Read(second)) => Handler::<K>::read(move |cx, event, subject| {
            match settled(catch(|| Ok(call!(Read::&first(cx, event, subject))))) {
                Ok(answer) => answer,
                Err(cause) => fall_back(cause, settled(catch(|| Ok(call!(Read::&second(cx, event, subject)))))),
            }
        }),
        (Handler::Lend(first), Handler::Lend(second)) => Handler::<K>::lend(move |cx, event, subject| {
            let before = subject.clone();
            let mut run = |hook: &Lend<K, K::Subject, K::Verdict>| {
                let answer = settled(catch(|| {
                    let answer = call!(Lend::hook(cx, event, subject));
                    // What comes with an error is dropped, whatever it is.
                    if keeps(&answer) {
                        check(event, &before, subject)?;
                    }
                    Ok(answer)
                }));
                if answer.is_err() {
                    subject.clone_from(&before);
                }
                answer
            };
            run(&first).unwrap_or_else(|cause| fall_back(cause, run(&second)))
        }),
        (Handler::Own(first), Handler::Own(second)) => Handler::<K>::own(move |cx, event, subject| {
            let run = |hook: &Own<K, K::Subject, K::Verdict>| {
                settled(catch(|| {
                    let answer = call!(Own::hook(cx, event, subject.clone()));
                    checked_effect(event, &subject, answer)
                }))
            };
            run(&first).unwrap_or_else(|cause| fall_back(cause, run(&second)))
        }),
        (Handler::ReadAsync(first), Handler::ReadAsync(second)) => {
            Handler::<K>::read_async(move |cx, event, subject| {
                let (first, second) = (first.clone(), second.clone());
                Box::pin(async move {
                    match attempt(|| call!(ReadAsync::first(cx, event, subject)), Ok, timeout).await {
                        Ok(answer) => answer,
                        Err(cause) => fall_back(
                            cause,
                            attempt(|| call!(ReadAsync::second(cx, event, subject)), Ok, timeout).await,
                        ),
                    }
                })
            })
        }
        (Handler::OwnAsync(first), Handler::OwnAsync(second)) => Handler::<K>::own_async(move |cx, event, subject| {
            both(cx, event, subject, first.clone(), second.clone(), timeout)
        }),
        // One attribute makes both in one form.
        (first, _) => first,
    }
}

type Owning<K> = OwnAsync<K, <K as HookKind>::Subject, <K as HookKind>::Verdict>;
type Owned<K> = Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>;

fn both<'a, K: HookKind>(
    cx: &'a HookContext,
    event: &'a K,
    subject: K::Subject,
    first: Owning<K>,
    second: Owning<K>,
    timeout: Option<Duration>,
) -> BoxFuture<'a, Answer<Owned<K>>> {
    Box::pin(async move {
        let before = subject.clone();
        let check = |answer| checked_effect(event, &before, answer);
        match attempt(|| call!(OwnAsync::first(cx, event, subject)), check, timeout).await {
            Ok(answer) => answer,
            Err(cause) => {
                let subject = before.clone();
                fall_back(cause, attempt(|| call!(OwnAsync::second(cx, event, subject)), check, timeout).await)
            }
        }
    })
}

/// Calls and waits; `check` sees the answer as `settled` does.
async fn attempt<'a, T>(
    call: impl FnOnce() -> BoxFuture<'a, Answer<T>>,
    check: impl Fn(Answer<T>) -> Result<Answer<T>, Fail>,
    timeout: Option<Duration>,
) -> Result<Answer<T>, Cause> {
    let future = match catch(call) {
        Ok(future) => future,
        Err(panic) => return Err(Fail::Panicked(panic).cause()),
    };
    let answer = match finish(future, timeout, None).await {
        Ok(answer) => Ok(answer),
        Err(Ended::Failed(fail)) => Err(fail),
        // There is no timer. The dispatch finds the same when it sets the step's own, and says so.
        Err(Ended::Stopped(_)) => pending().await,
    };
    settled(catch(|| check(answer?)))
}

/// The answer, or why there is none. A halt is an answer.
fn settled<T>(caught: Result<Result<Answer<T>, Fail>, String>) -> Result<Answer<T>, Cause> {
    match caught.unwrap_or_else(|panic| Err(Fail::Panicked(panic))) {
        Ok(Err(Fault(fault))) if matches!(*fault, FaultKind::Error(_) | FaultKind::Failed(_)) => {
            Err(Fail::Fault(Fault(fault)).cause())
        }
        Ok(answer) => Ok(answer),
        Err(fail) => Err(fail.cause()),
    }
}

/// Holds what a hook left against the rules of the kind.
fn check<K: HookKind>(event: &K, before: &K::Subject, after: &K::Subject) -> Result<(), Fail> {
    if K::same(before, after) {
        return Ok(());
    }
    event.check(before, after).map_err(|broken| Fail::Violation(broken.to_string()))
}

fn checked_effect<K: HookKind>(
    event: &K,
    before: &K::Subject,
    answer: Answer<Owned<K>>,
) -> Result<Answer<Owned<K>>, Fail> {
    let after = match &answer {
        Ok(effect) => effect.subject.as_ref(),
        Err(fault) => match &*fault.0 {
            FaultKind::HaltAndReplace(_, after) => after.downcast_ref(),
            _ => None,
        },
    };
    if let Some(after) = after {
        check(event, before, after)?;
    }
    Ok(answer)
}

/// Whether the changes that come with this answer stay.
fn keeps<T>(answer: &Answer<T>) -> bool {
    match answer {
        Ok(_) => true,
        Err(fault) => matches!(*fault.0, FaultKind::HaltAndKeep(_)),
    }
}

/// The first one failed: the second one's answer with the cause, or both causes.
#[cold]
fn fall_back<T: Send + 'static>(cause: Cause, second: Result<Answer<T>, Cause>) -> Answer<T> {
    Err(Fault(Box::new(match second {
        Ok(answer) => FaultKind::FellBack(cause, Box::new(answer) as Box<dyn Any + Send>),
        Err(also) => FaultKind::Failed(Cause {
            text: format!("{}; its fallback failed too ({}): {}", cause.text, also.kind, also.text),
            ..cause
        }),
    })))
}
