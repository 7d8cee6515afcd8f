//! The six forms of a hook's function. The form determines who writes, before anything runs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

mod fault;
mod limit;

pub use fault::{Fault, NotSelected};
pub(crate) use fault::{FaultKind, HookError};

use crate::context::HookContext;
use crate::kind::HookKind;

/// A boxed, pinned future that is `Send`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The result of calling a hook. The error is one pointer wide, so a hook without an opinion answers in a register.
pub type Answer<T> = Result<T, Fault>;

/// What a hook that took the subject by value returns. It is small, so that it is returned in registers if the subject
/// is a pointer.
#[derive(Debug)]
pub struct Effect<S, V> {
    /// `None` removes the subject.
    pub(crate) subject: Option<S>,
    pub(crate) verdict: V,
}

/// Combines the result of an async hook with `&mut`: the subject that it was lent, and its answer.
///
/// # Errors
/// The hook's failure, or its halt, with the subject.
pub fn effect_of<S: Send + 'static, V>(subject: S, answer: Answer<V>) -> Answer<Effect<S, V>> {
    match answer {
        Ok(verdict) => Ok(Effect { subject: Some(subject), verdict }),
        Err(fault) => match *fault.0 {
            FaultKind::Halt(halt) => Err(Fault::halt_and_replace(halt, subject)),
            other => Err(Fault(Box::new(other))),
        },
    }
}

pin_project_lite::pin_project! {
    /// The future of the user's function, with a conversion of its output.
    ///
    /// This is not an `async` block, because such a block stores the future twice, before and while it is awaited,
    /// along with everything that the call was made from.
    #[derive(Debug)]
    #[must_use = "a future does nothing until it is polled"]
    pub struct AnswerFuture<F, A> {
        #[pin]
        future: F,
        answer: A,
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> AnswerFuture<F, A> {
    /// `answer` converts the function's output into an answer for the dispatch.
    #[inline]
    pub fn new(future: F, answer: A) -> Self {
        Self { future, answer }
    }
}

impl<F: Future, A: Fn(F::Output) -> T, T> Future for AnswerFuture<F, A> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        this.future.poll(task).map(this.answer)
    }
}

/// Declares the forms: a pointer to a function from the attribute, or a registered closure; what makes a handler of a
/// closure; and what the form says about the hook: whether it writes, is async and is detached, and the name of its method.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident, $of:ident, ($writes:literal, $is_async:literal, $detached:literal, $method:literal)
        = fn$(<$a:lifetime>)?($($argument:ty),*) -> $returned:ty;)*) => {
        $(
            $(#[$doc])*
            pub enum $name<K: 'static, S: 'static, V: 'static> {
                /// A function from the attribute.
                Static($(for<$a>)? fn($($argument),*) -> $returned),
                /// A registered closure.
                Shared(Arc<dyn $(for<$a>)? Fn($($argument),*) -> $returned + Send + Sync>),
            }

            impl<K, S, V> fmt::Debug for $name<K, S, V> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(stringify!($name))
                }
            }

            impl<K, S, V> Clone for $name<K, S, V> {
                fn clone(&self) -> Self {
                    match self {
                        Self::Static(function) => Self::Static(*function),
                        Self::Shared(function) => Self::Shared(Arc::clone(function)),
                    }
                }
            }

            impl<K, S, V> Call<K, S, V> {
                pub(crate) fn $of(
                    run: impl $(for<$a>)? Fn($($argument),*) -> $returned + Send + Sync + 'static,
                ) -> Self {
                    Self::$name($name::Shared(Arc::new(run)))
                }
            }
        )*

        /// A hook's function in one of the six forms.
        ///
        /// It has no bounds, so that generated code can name it for a type that is not a kind; that error is reported
        /// elsewhere.
        #[derive(Debug)]
        pub enum Call<K: 'static, S: 'static, V: 'static> {
            $($(#[$doc])* $name($name<K, S, V>),)*
        }

        impl<K, S, V> Clone for Call<K, S, V> {
            fn clone(&self) -> Self {
                match self {
                    $(Self::$name(hook) => Self::$name(hook.clone()),)*
                }
            }
        }

        impl Form {
            /// The form of `handler`.
            pub(crate) const fn of<K, S, V>(handler: &Call<K, S, V>) -> Self {
                let (writes, is_async, detached, name) = match handler {
                    $(Call::$name(_) => ($writes, $is_async, $detached, $method),)*
                };
                Self { writes, is_async, detached, name }
            }
        }
    };
}

forms! {
    /// Borrows the subject.
    Read, read, (false, false, false, "reader") = fn(&HookContext, &K, &S) -> Answer<V>;
    /// Borrows a copy mutably and changes it in place.
    Write, write, (true, false, false, "writer") = fn(&HookContext, &K, &mut S) -> Answer<V>;
    /// Takes a copy and returns its replacement.
    Replace, replace, (true, false, false, "replacer") = fn(&HookContext, &K, S) -> Answer<Effect<S, V>>;
    /// Like `Read`, but async.
    ReadAsync, read_async, (false, true, false, "async_reader")
        = fn<'a>(&'a HookContext, &'a K, &'a S) -> BoxFuture<'a, Answer<V>>;
    /// Like `Replace`, but async. Async hooks with `&mut` have this form too.
    ReplaceAsync, replace_async, (true, true, false, "async_replacer")
        = fn<'a>(&'a HookContext, &'a K, S) -> BoxFuture<'a, Answer<Effect<S, V>>>;
    /// Runs detached from the dispatch, with its own event and context. The subject is `None` if the hook does not take
    /// it.
    Detached, detached, (false, false, true, "detached")
        = fn<'a>(&'a HookContext, &'a K, Option<&'a S>) -> BoxFuture<'a, Answer<V>>;
}

// The function pointers in a lane.
pub(crate) type ReadFn<K> = fn(&HookContext, &K, &<K as HookKind>::Subject) -> Answer<<K as HookKind>::Verdict>;
pub(crate) type WriteFn<K> = fn(&HookContext, &K, &mut <K as HookKind>::Subject) -> Answer<<K as HookKind>::Verdict>;
pub(crate) type ReadAsyncFn<K> =
    for<'a> fn(&'a HookContext, &'a K, &'a <K as HookKind>::Subject) -> BoxFuture<'a, Answer<<K as HookKind>::Verdict>>;
pub(crate) type ReplaceFn<K> = fn(
    &HookContext,
    &K,
    <K as HookKind>::Subject,
) -> Answer<Effect<<K as HookKind>::Subject, <K as HookKind>::Verdict>>;

/// Calls either variant of a form.
macro_rules! call {
    ($form:ident::$function:ident($($argument:expr),*)) => {
        match &$function {
            $form::Static(function) => function($($argument),*),
            $form::Shared(function) => function($($argument),*),
        }
    };
}

pub(crate) use call;

/// A hook's function at kind `K`, in one of the six forms.
pub(crate) type Handler<K> = Call<K, <K as HookKind>::Subject, <K as HookKind>::Verdict>;

/// The form of a hook, without its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) writes: bool,
    pub(crate) is_async: bool,
    /// Whether the hook is detached or background.
    pub(crate) detached: bool,
    /// The name of the [`HookAt`](crate::hook::HookAt) method that makes this form.
    pub(crate) name: &'static str,
}
