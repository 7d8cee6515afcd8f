//! How a hook continues a dispatch, and why a dispatch ends early or has no outcome.

use std::any::Any;

use crate::context::depth;
use crate::failure::{Failure, OnFailure};
use crate::id::HookId;
use crate::kind::HookKind;
use crate::plan::Plan;
use crate::tables::debug_as_display;

/// How a chain continues after a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Flow {
    /// Continue with the next hook.
    Next,
    /// Run the fallback of the hook, which has failed.
    FallBack,
    Stop,
}

/// Why a chain ended before its last hook.
#[derive(Debug)]
pub(super) enum End {
    /// The hook with this index removed the subject.
    Removed(usize),
    /// The verdict is final.
    Decided,
    /// There is no outcome: a required hook failed, or a hook for which the app's own verdict could not deny.
    Required(Failure),
    /// There is no outcome: the turn was cancelled while this hook was waiting.
    Cancelled(usize),
    /// There is no outcome: this hook needs a timer, but the runtime has none.
    NoRuntime(usize),
}

/// A dispatch has no outcome. Each variant contains the subject as the last successful hook left it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A hook with `on_failure = required` failed. Also returned for `on_failure = deny` if the app's own verdict
    /// panicked while it denied.
    #[error(
        "{failure}; {}, so nothing after it ran",
        if failure.on_failure == OnFailure::Deny { "the verdict could not deny for it" } else { "the hook is required" }
    )]
    #[non_exhaustive]
    Required {
        /// The failure of the hook.
        failure: Box<Failure>,
        /// The subject as the last successful hook left it.
        subject: ErasedSubject,
    },
    /// The context's token was cancelled while a hook was waiting.
    #[error("the turn was cancelled while `{hook}` at `{kind}` was waiting")]
    #[non_exhaustive]
    Cancelled {
        /// The kind that was fired.
        kind: &'static str,
        /// The first hook that was waiting.
        hook: HookId,
        /// The subject as the last successful hook left it.
        subject: ErasedSubject,
    },
    /// A hook with a timeout had to wait, but there is no Tokio runtime with a timer, or it has ended.
    #[error(
        "the hook `{hook}` at `{kind}` has a timeout and had to wait, but no Tokio runtime with a timer is running here; fire inside a runtime, or write `timeout = none` on the hook"
    )]
    #[non_exhaustive]
    NoRuntime {
        /// The kind that was fired.
        kind: &'static str,
        /// The hook that needs the timer.
        hook: HookId,
        /// The subject as the last successful hook left it.
        subject: ErasedSubject,
    },
    /// `fire_blocking` was called for a kind at which an async hook is in force.
    #[error(
        "`fire_blocking` cannot run {} at `{kind}`; use `fire(…).await`",
        if *.blocking { format!("the hook `{hook}`, which is `blocking` and runs on another thread,") } else { format!("the async hook `{hook}`") }
    )]
    #[non_exhaustive]
    AsyncHook {
        /// The kind that was fired.
        kind: &'static str,
        /// The first async hook.
        hook: HookId,
        /// Whether the hook is a plain function with the option `blocking`.
        blocking: bool,
        /// The subject as the last successful hook left it.
        subject: ErasedSubject,
    },
    /// Dispatches are nested more deeply than the registry allows. No hook of this dispatch ran.
    #[error(
        "dispatches may be nested {limit} deep, and `{kind}` would exceed that; break the cycle, or raise the limit with `Registry::set_depth_limit` (active: {})",
        chain.join(" > ")
    )]
    #[non_exhaustive]
    TooDeep {
        /// The kind that was fired.
        kind: &'static str,
        /// The limit for nested dispatches.
        limit: usize,
        /// The kinds of the enclosing dispatches, outermost first.
        chain: Vec<&'static str>,
        /// The subject as the last successful hook left it.
        subject: ErasedSubject,
    },
}

debug_as_display!(DispatchError);

impl DispatchError {
    /// Returns the subject, if the dispatch was of kind `K`.
    ///
    /// # Errors
    /// Returns the error itself if the dispatch was of another kind.
    pub fn into_subject<K: HookKind>(self) -> Result<K::Subject, Self> {
        let (Self::Required { subject, .. }
        | Self::Cancelled { subject, .. }
        | Self::NoRuntime { subject, .. }
        | Self::AsyncHook { subject, .. }
        | Self::TooDeep { subject, .. }) = &self;
        match subject.0.downcast_ref::<K::Subject>() {
            Some(subject) => Ok(subject.clone()),
            None => Err(self),
        }
    }
}

/// The subject of a failed dispatch, with its type erased. [`DispatchError::into_subject`] returns it.
#[derive(Debug)]
pub struct ErasedSubject(Box<dyn Any + Send + Sync>);

impl ErasedSubject {
    pub(crate) fn new<S: Send + Sync + 'static>(subject: S) -> Self {
        Self(Box::new(subject))
    }
}

#[cold]
pub(super) fn async_hook<K: HookKind>(plan: &Plan<K>, subject: impl Send + Sync + 'static) -> DispatchError {
    let hook = plan.steps.iter().find(|step| step.is_async());
    DispatchError::AsyncHook {
        kind: K::NAME,
        hook: hook.map_or_else(|| HookId::new(""), |step| step.id.clone()),
        blocking: hook.is_some_and(|step| step.blocking().is_some()),
        subject: ErasedSubject::new(subject),
    }
}

#[cold]
pub(super) fn too_deep<K: HookKind>(limit: usize, subject: K::Subject) -> DispatchError {
    let mut chain = depth::kinds();
    // The last one is this dispatch.
    chain.pop();
    DispatchError::TooDeep { kind: K::NAME, limit, chain, subject: ErasedSubject::new(subject) }
}
