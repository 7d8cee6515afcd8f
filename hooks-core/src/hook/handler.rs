//! The five forms in which a hook is called. Who writes is known from the form, before anything runs.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use crate::HookContext;
use crate::kind::HookKind;
use crate::record::CAUSE_LIMIT;
use crate::verdict::Halt;

/// A future that owns its place.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a call of a hook comes to. The error is one pointer wide: a hook without opinion answers in a register.
pub type Answer<T> = Result<T, Fault>;

/// Why a hook gave no plain answer.
#[derive(Debug)]
pub struct Fault(pub(crate) Box<FaultKind>);

#[derive(Debug)]
pub(crate) enum FaultKind {
    /// It failed, with this text: the error itself is dropped where a panic of its `Drop` is still the hook's.
    Error(String),
    /// It ends the turn, in the place of its error: as with every error, its changes are dropped.
    Halt(Halt),
    /// It ends the turn, in the place of its verdict: its changes stay.
    HaltAndKeep(Halt),
}

impl Fault {
    /// The error of a hook, which may be a halt in disguise.
    pub(crate) fn from_error(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(Box::new(match error.downcast::<Halt>() {
            Ok(halt) => FaultKind::Halt(*halt),
            Err(error) => FaultKind::Error(describe(&*error)),
        }))
    }

    pub(crate) fn halt_and_keep(halt: Halt) -> Self {
        Self(Box::new(FaultKind::HaltAndKeep(halt)))
    }
}

/// The error and what caused it, in one line. A hook's `Display` is code like any other: it may panic.
#[cold]
fn describe(error: &(dyn Error + Send + Sync)) -> String {
    crate::panics::catch(|| {
        let mut text = error.to_string();
        let mut source = error.source();
        // An error may be its own cause; what is cut off need not be asked for.
        while let Some(cause) = source.filter(|_| text.chars().nth(CAUSE_LIMIT).is_none()) {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    })
    .unwrap_or_else(|panic| format!("an error whose text panicked: {panic}"))
}

/// What a hook that took the subject gave back.
#[derive(Debug)]
pub struct Effect<S, V> {
    /// `None` removes it.
    pub(crate) subject: Option<S>,
    pub(crate) verdict: V,
    pub(crate) halt: Option<Box<Halt>>,
}

type Read<K> = dyn Fn(&HookContext, &K, &<K as HookKind>::Subject) -> Answer<<K as HookKind>::Verdict> + Send + Sync;
type Lend<K> =
    dyn Fn(&HookContext, &K, &mut <K as HookKind>::Subject) -> Answer<<K as HookKind>::Verdict> + Send + Sync;
type Own<K> = dyn Fn(&HookContext, &K, <K as HookKind>::Subject) -> Answer<Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>>
    + Send
    + Sync;
type ReadAsync<K> = dyn for<'a> Fn(&'a HookContext, &'a K, &'a <K as HookKind>::Subject) -> BoxFuture<'a, Answer<<K as HookKind>::Verdict>>
    + Send
    + Sync;
type OwnAsync<K> = dyn for<'a> Fn(
        &'a HookContext,
        &'a K,
        <K as HookKind>::Subject,
    ) -> BoxFuture<'a, Answer<Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>>>
    + Send
    + Sync;

/// A hook's function in the form that it is called in.
pub enum Handler<K: HookKind> {
    /// Borrows the subject.
    Read(Func<Read<K>>),
    /// Is lent a copy to change in place.
    Lend(Func<Lend<K>>),
    /// Is given a copy and returns what is to be there instead.
    Own(Func<Own<K>>),
    /// As `Read`, and may wait.
    ReadAsync(Func<ReadAsync<K>>),
    /// As `Own`, and may wait. Async `&mut` hooks are called in this form too.
    OwnAsync(Func<OwnAsync<K>>),
}

/// A function that is there for the whole run, or one that was registered.
pub enum Func<F: ?Sized + 'static> {
    /// The attribute's.
    Static(&'static F),
    /// A closure's.
    Shared(Arc<F>),
}

impl<F: ?Sized> Deref for Func<F> {
    type Target = F;

    fn deref(&self) -> &F {
        match self {
            Self::Static(function) => function,
            Self::Shared(function) => function,
        }
    }
}

impl<F: ?Sized> Clone for Func<F> {
    fn clone(&self) -> Self {
        match self {
            Self::Static(function) => Self::Static(function),
            Self::Shared(function) => Self::Shared(Arc::clone(function)),
        }
    }
}

impl<K: HookKind> Clone for Handler<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Read(function) => Self::Read(function.clone()),
            Self::Lend(function) => Self::Lend(function.clone()),
            Self::Own(function) => Self::Own(function.clone()),
            Self::ReadAsync(function) => Self::ReadAsync(function.clone()),
            Self::OwnAsync(function) => Self::OwnAsync(function.clone()),
        }
    }
}

impl<K: HookKind> fmt::Debug for Handler<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read(_) => "Read",
            Self::Lend(_) => "Lend",
            Self::Own(_) => "Own",
            Self::ReadAsync(_) => "ReadAsync",
            Self::OwnAsync(_) => "OwnAsync",
        })
    }
}

impl<F: ?Sized> fmt::Debug for Func<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Func")
    }
}

impl<K: HookKind> Handler<K> {
    pub(crate) fn read(
        run: impl Fn(&HookContext, &K, &K::Subject) -> Answer<K::Verdict> + Send + Sync + 'static,
    ) -> Self {
        Self::Read(Func::Shared(Arc::new(run)))
    }

    pub(crate) fn lend(
        run: impl Fn(&HookContext, &K, &mut K::Subject) -> Answer<K::Verdict> + Send + Sync + 'static,
    ) -> Self {
        Self::Lend(Func::Shared(Arc::new(run)))
    }

    pub(crate) fn own(
        run: impl Fn(&HookContext, &K, K::Subject) -> Answer<Effect<K::Subject, K::Verdict>> + Send + Sync + 'static,
    ) -> Self {
        Self::Own(Func::Shared(Arc::new(run)))
    }

    pub(crate) fn read_async(
        run: impl for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, Answer<K::Verdict>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::ReadAsync(Func::Shared(Arc::new(run)))
    }

    pub(crate) fn own_async(
        run: impl for<'a> Fn(&'a HookContext, &'a K, K::Subject) -> BoxFuture<'a, Answer<Effect<K::Subject, K::Verdict>>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::OwnAsync(Func::Shared(Arc::new(run)))
    }
}
