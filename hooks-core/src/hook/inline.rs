//! Hooks made as values that run in their dispatch.

use super::{Binding, BoxFuture, Handler, Hook, HookId, Options, Origin};
use crate::HookContext;
use crate::kind::HookKind;
use crate::param::{Fails, Of, ReturnsSubject, ReturnsVerdict};

impl Hook {
    #[track_caller]
    pub(super) fn with_handler<K: HookKind>(id: &str, decides: bool, handler: Handler<K>) -> Self {
        let caller = std::panic::Location::caller();
        Self {
            id: HookId::new(id),
            description: "".into(),
            origin: Origin::new(caller.file(), caller.line(), ""),
            options: Options::default(),
            with: None,
            plugin: None,
            locked: false,
            asks_context: true,
            bindings: vec![Binding::shared(handler, decides)],
        }
    }

    #[doc = constructor_docs!("A hook that reads the subject.")]
    #[track_caller]
    pub fn reader<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, &K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::read(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that changes the subject in place.")]
    #[track_caller]
    pub fn writer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, &mut K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::lend(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that takes the subject and returns what is to be there instead.")]
    #[track_caller]
    pub fn replacer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::own(move |cx, event, subject| Fails::settle(R::effect(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that reads the subject and waits for something.")]
    #[track_caller]
    pub fn async_reader<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::read_async(move |cx, event, subject| {
                let answer = run(cx, event, subject);
                Box::pin(async move { Fails::settle(R::verdict(Of::NEW, answer.await)) })
            }),
        )
    }

    #[doc = constructor_docs!("A hook that takes the subject, waits for something, and returns what is to be there instead.")]
    #[track_caller]
    pub fn async_replacer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::own_async(move |cx, event, subject| {
                let answer = run(cx, event, subject);
                Box::pin(async move { Fails::settle(R::effect(Of::NEW, answer.await)) })
            }),
        )
    }
}
