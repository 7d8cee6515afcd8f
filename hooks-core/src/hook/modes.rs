//! Hooks made as values that run elsewhere than in their dispatch.

use super::{BoxFuture, Handler, Hook, RunMode};
use crate::HookContext;
use crate::dispatch::blocking;
use crate::itself::OwnedEvent;
use crate::kind::HookKind;
use crate::param::{Fails, Of, ReturnsApart, ReturnsSubject, ReturnsVerdict};

impl Hook {
    #[doc = constructor_docs!("A hook that reads the subject and computes for long: it runs on the pool of threads for such code, under its deadline, with its own copy of event and subject. Its thread cannot be stopped; what it comes to too late is dropped.")]
    #[track_caller]
    pub fn blocking_reader<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind + Clone,
        F: Fn(&HookContext, &K, &K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::read(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject))));
        Self::with_handler(id, R::decides(), blocking(handler, <K as OwnedEvent>::own)).blocks()
    }

    #[doc = constructor_docs!("A hook that changes the subject in place and computes for long; see [`blocking_reader`](Self::blocking_reader).")]
    #[track_caller]
    pub fn blocking_writer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind + Clone,
        F: Fn(&HookContext, &K, &mut K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::lend(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject))));
        Self::with_handler(id, R::decides(), blocking(handler, <K as OwnedEvent>::own)).blocks()
    }

    #[doc = constructor_docs!("A hook that takes the subject, computes for long, and returns what is to be there instead; see [`blocking_reader`](Self::blocking_reader).")]
    #[track_caller]
    pub fn blocking_replacer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind + Clone,
        F: Fn(&HookContext, &K, K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails>,
    {
        let handler =
            Handler::<K>::own(move |cx, event, subject| Fails::settle(R::effect(Of::NEW, run(cx, event, subject))));
        Self::with_handler(id, R::decides(), blocking(handler, <K as OwnedEvent>::own)).blocks()
    }

    #[doc = constructor_docs!("A hook that is started at its place in the plan and not waited for. It has an event of its own, the subject as it is at that place, and a context that the end of the turn does not cancel. What it returns is told to observers: see [`background`](crate::background).")]
    #[track_caller]
    pub fn detached<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind + Clone,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsApart<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        let mut hook = Self::apart(id, run);
        hook.bindings = hook.bindings.into_iter().map(|binding| binding.owning(<K as OwnedEvent>::own)).collect();
        hook.options.run = RunMode::Detached;
        hook
    }

    #[doc = constructor_docs!("A hook that is written as a [`Job`](crate::background::Job) at its place in the plan, for a worker. A worker in another process has to register it too.")]
    #[track_caller]
    pub fn background<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsApart<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        let mut hook = Self::apart(id, run);
        hook.options.run = RunMode::Background;
        hook
    }

    #[track_caller]
    fn apart<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsApart<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        Self::with_handler(
            id,
            false,
            Handler::<K>::apart(move |cx, event, subject| {
                // Its binding says that it takes the subject, so there is one.
                let Some(subject) = subject else { return Box::pin(async { Ok(().into()) }) };
                let answer = run(cx, event, subject);
                Box::pin(async move { Fails::settle(R::verdict(Of::NEW, answer.await)) })
            }),
        )
    }

    fn blocks(mut self) -> Self {
        self.options.blocking = true;
        self
    }

    /// Says that running it twice does no more than running it once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.options.idempotent = true;
        self
    }

    /// How often a background run that failed is tried again; only for a hook that is
    /// [`idempotent`](Self::idempotent).
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.options.retries = retries;
        self
    }
}
