//! Hooks built as values: `Hook::at::<K>("id").writer(…)`.

use super::{Binding, CloneEvent, Hook};
use crate::context::HookContext;
use crate::handler::{BoxFuture, Handler};
use crate::id::HookId;
use crate::kind::{HookKind, OwnedEvent};
use crate::options::{Options, RunMode};
use crate::signature::parameters::Need;
use crate::signature::{Fails, Of, ReturnsDetached, ReturnsSubject, ReturnsVerdict};
use crate::source::Origin;

/// A hook at `K` that has no function yet. Returned by [`Hook::at`].
///
/// Each method takes a closure, determines how the closure takes the subject, and returns the hook.
#[derive(Clone, Debug)]
#[must_use = "a hook needs a function: call `reader`, `writer` or a similar method"]
pub struct HookAt<K, const BLOCKING: bool = false> {
    id: HookId,
    origin: Origin,
    /// Clones the event for a [blocking](HookAt::blocking) or detached function.
    clone_event: Option<CloneEvent<K>>,
}

impl Hook {
    /// Starts a hook at the kind `K`.
    ///
    /// `id` is checked when the hook is registered. Messages point to the place of this call.
    ///
    /// ```
    /// use hook_sdk::kinds::BeforeToolCall;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// let guard = Hook::at::<BeforeToolCall>("no_refunds")
    ///     .reader(|_cx, _event, _input| Permission::deny("a person pays refunds"))
    ///     .only("tool", "refund");
    /// Registry::empty().register(guard)?;
    /// # Ok::<(), ConfigError>(())
    /// ```
    #[track_caller]
    pub fn at<K: HookKind>(id: &str) -> HookAt<K> {
        let caller = std::panic::Location::caller();
        let origin = Origin::new(caller.file(), caller.line(), "");
        HookAt { id: HookId::new(id), origin, clone_event: None }
    }
}

impl<K: HookKind, const BLOCKING: bool> HookAt<K, BLOCKING> {
    fn with(self, handler: &Handler<K>, decides: bool) -> Hook {
        let options = Options { blocking: BLOCKING, ..Options::default() };
        let (needs, detached) = (&[Need::Context], matches!(handler, Handler::Detached(_)));
        let binding = Binding::of(options, handler, None, decides, (&[], needs), self.clone_event, detached);
        Hook { bindings: vec![binding], ..Hook::grouped(self.id, self.origin, []) }
    }

    /// Makes a hook that reads the subject.
    pub fn reader<F, R, M>(self, run: F) -> Hook
    where
        F: Fn(&HookContext, &K, &K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::read(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject))));
        self.with(&handler, R::decides())
    }

    /// Makes a hook that changes the subject in place.
    pub fn writer<F, R, M>(self, run: F) -> Hook
    where
        F: Fn(&HookContext, &K, &mut K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::write(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject))));
        self.with(&handler, R::decides())
    }

    /// Makes a hook that takes the subject and returns its replacement.
    pub fn replacer<F, R, M>(self, run: F) -> Hook
    where
        F: Fn(&HookContext, &K, K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::replace(move |cx, event, subject| Fails::settle(R::effect(Of::NEW, run(cx, event, subject))));
        self.with(&handler, R::decides())
    }
}

impl<K: HookKind> HookAt<K> {
    /// Makes an async hook that reads the subject.
    pub fn async_reader<F, R, M>(self, run: F) -> Hook
    where
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        let handler = Handler::<K>::read_async(move |cx, event, subject| {
            let answer = run(cx, event, subject);
            Box::pin(async move { Fails::settle(R::verdict(Of::NEW, answer.await)) })
        });
        self.with(&handler, R::decides())
    }

    /// Makes an async hook that takes the subject and returns its replacement.
    pub fn async_replacer<F, R, M>(self, run: F) -> Hook
    where
        F: for<'a> Fn(&'a HookContext, &'a K, K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        let handler = Handler::<K>::replace_async(move |cx, event, subject| {
            let answer = run(cx, event, subject);
            Box::pin(async move { Fails::settle(R::effect(Of::NEW, answer.await)) })
        });
        self.with(&handler, R::decides())
    }

    /// Runs the hook's plain function on Tokio's pool of blocking threads, under the hook's timeout, with its own copy
    /// of event and subject. Its thread cannot be stopped, so an answer after the timeout is dropped.
    pub fn blocking(self) -> HookAt<K, true>
    where
        K: Clone,
    {
        HookAt { id: self.id, origin: self.origin, clone_event: Some(<K as OwnedEvent>::own) }
    }

    /// Makes a detached hook: it starts at its place in the plan, and no dispatch waits for it. It has its own event,
    /// the subject as it is at that place, and a context that the end of the turn does not cancel. Observers are
    /// notified when it ends: see [`detached`](crate::detached).
    pub fn detached<F, R, M>(self, run: F) -> Hook
    where
        K: Clone,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsDetached<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        let hook = Self { clone_event: Some(<K as OwnedEvent>::own), ..self }.with(&detaches(run), false);
        hook.with_options(|options| options.run = RunMode::Detached)
    }

    /// Makes a background hook: at its place in the plan it becomes a [`Job`](crate::detached::Job) for a worker. A
    /// worker in another process must register the hook too.
    pub fn background<F, R, M>(self, run: F) -> Hook
    where
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsDetached<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        self.with(&detaches(run), false).with_options(|options| options.run = RunMode::Background)
    }
}

fn detaches<K, F, R, M>(run: F) -> Handler<K>
where
    K: HookKind,
    F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
    R: ReturnsDetached<K, K::Verdict, M, Error: Fails> + 'static,
    M: 'static,
{
    Handler::<K>::detached(move |cx, event, subject| {
        // The binding takes the subject, so it is present.
        let Some(subject) = subject else { return Box::pin(async { Ok(().into()) }) };
        let answer = run(cx, event, subject);
        Box::pin(async move { Fails::settle(R::verdict(Of::NEW, answer.await)) })
    })
}
