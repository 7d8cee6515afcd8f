//! The five forms in which a hook is called. Who writes is known from the form, before anything runs.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use crate::HookContext;
use crate::kind::HookKind;
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
    /// It failed.
    Error(Box<dyn Error + Send + Sync>),
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
            Err(error) => FaultKind::Error(error),
        }))
    }

    pub(crate) fn halt_and_keep(halt: Halt) -> Self {
        Self(Box::new(FaultKind::HaltAndKeep(halt)))
    }
}

/// What a hook that took the subject gave back.
#[derive(Debug)]
pub struct Effect<S, V> {
    /// `None` removes it.
    pub(crate) subject: Option<S>,
    pub(crate) verdict: V,
    pub(crate) halt: Option<Box<Halt>>,
}

type Read<K, S, V> = dyn Fn(&HookContext, &K, &S) -> Answer<V> + Send + Sync;
type Lend<K, S, V> = dyn Fn(&HookContext, &K, &mut S) -> Answer<V> + Send + Sync;
type Own<K, S, V> = dyn Fn(&HookContext, &K, S) -> Answer<Effect<S, V>> + Send + Sync;
type ReadAsync<K, S, V> = dyn for<'a> Fn(&'a HookContext, &'a K, &'a S) -> BoxFuture<'a, Answer<V>> + Send + Sync;
type OwnAsync<K, S, V> = dyn for<'a> Fn(&'a HookContext, &'a K, S) -> BoxFuture<'a, Answer<Effect<S, V>>> + Send + Sync;

/// A hook's function in the form that it is called in at a kind.
pub type Handler<K> = Call<K, <K as HookKind>::Subject, <K as HookKind>::Verdict>;

/// A hook's function in the form that it is called in.
///
/// Without a bound, so that generated code can name it for a type that is no kind, which is then told elsewhere.
pub enum Call<K: 'static, S: 'static, V: 'static> {
    /// Borrows the subject.
    Read(Func<Read<K, S, V>>),
    /// Is lent a copy to change in place.
    Lend(Func<Lend<K, S, V>>),
    /// Is given a copy and returns what is to be there instead.
    Own(Func<Own<K, S, V>>),
    /// As `Read`, and may wait.
    ReadAsync(Func<ReadAsync<K, S, V>>),
    /// As `Own`, and may wait. Async `&mut` hooks are called in this form too.
    OwnAsync(Func<OwnAsync<K, S, V>>),
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

impl<K, S, V> Clone for Call<K, S, V> {
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

impl<K, S, V> fmt::Debug for Call<K, S, V> {
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
