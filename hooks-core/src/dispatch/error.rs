use std::any::Any;
use std::fmt;

use crate::context::depth;
use crate::failure::{Failure, OnFailure};
use crate::id::HookId;
use crate::kind::HookKind;
use crate::plan::Plan;

use super::outcome::NoOutcome;

/// Why a dispatch gave no outcome. The subject is in it, as the last successful hook left it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// A hook with `on_failure = required` failed; or one with `deny`, and the app's own verdict panicked in place of the no.
    #[error(
        "{failure}; {}, so nothing after it ran",
        if failure.on_failure == OnFailure::Deny { "nobody could say no for it" } else { "the hook is required" }
    )]
    #[non_exhaustive]
    Required {
        /// The failure.
        failure: Box<Failure>,
        /// The subject.
        subject: Recovered,
    },
    /// The context's token was cancelled while a hook was waiting.
    #[error("the turn was cancelled while `{hook}` at `{kind}` was waiting")]
    #[non_exhaustive]
    Cancelled {
        /// The kind.
        kind: &'static str,
        /// The first hook that was waiting.
        hook: HookId,
        /// The subject.
        subject: Recovered,
    },
    /// An async hook with a deadline had to wait, and there is no runtime with timers, or no longer.
    #[error(
        "the async hook `{hook}` at `{kind}` has a deadline and had to wait, but there is no Tokio runtime with time enabled here; fire within one, or say `timeout = none` on the hook"
    )]
    #[non_exhaustive]
    NoRuntime {
        /// The kind.
        kind: &'static str,
        /// The hook.
        hook: HookId,
        /// The subject.
        subject: Recovered,
    },
    /// `fire_blocking` was called for a kind at which an async hook is in force.
    #[error(
        "`fire_blocking` cannot run {} at `{kind}`; use `fire(…).await`",
        if *.blocking { format!("the hook `{hook}`, which says `blocking` and runs on another thread,") } else { format!("the async hook `{hook}`") }
    )]
    #[non_exhaustive]
    AsyncHook {
        /// The kind.
        kind: &'static str,
        /// The first async hook.
        hook: HookId,
        /// Whether it is a plain function that says `blocking`.
        blocking: bool,
        /// The subject.
        subject: Recovered,
    },
    /// Hooks fired hooks that fired hooks, deeper than the registry allows. No hook of this dispatch ran.
    #[error(
        "no more than {limit} dispatches may be within each other, and `{kind}` would be one more; break the circle, or allow more with `Registry::set_depth_limit` (under way: {})",
        chain.join(" > ")
    )]
    #[non_exhaustive]
    TooDeep {
        /// The kind.
        kind: &'static str,
        /// How many dispatches may be within each other.
        limit: usize,
        /// The kinds of those it was fired within, outermost first.
        chain: Vec<&'static str>,
        /// The subject.
        subject: Recovered,
    },
}

impl fmt::Debug for DispatchError {
    /// The words, because this is what a `main` that returns the error and a test that unwraps it print.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl DispatchError {
    /// Takes the subject out, if it is one of `K`.
    ///
    /// # Errors
    /// The error itself, where the dispatch was one of another kind.
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

/// A subject that an error gives back.
pub struct Recovered(Box<dyn Any + Send + Sync>);

impl Recovered {
    pub(crate) fn new<S: Send + Sync + 'static>(subject: S) -> Self {
        Self(Box::new(subject))
    }
}

impl fmt::Debug for Recovered {
    /// Not the payload: errors end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recovered(..)")
    }
}

#[cold]
pub(super) fn async_hook<K: HookKind>(plan: &Plan<K>, subject: K::Subject) -> DispatchError {
    let hook = plan.steps.iter().find(|step| step.is_async());
    DispatchError::AsyncHook {
        kind: K::NAME,
        hook: hook.map_or_else(|| HookId::new(""), |step| step.id.clone()),
        blocking: hook.is_some_and(|step| step.blocking().is_some()),
        subject: Recovered::new(subject),
    }
}

/// The error for a dispatch that has no outcome.
#[cold]
pub(super) fn no_outcome<K: HookKind>(plan: &Plan<K>, why: NoOutcome, subject: K::Subject) -> DispatchError {
    let subject = Recovered::new(subject);
    let kind = K::NAME;
    let hook = |index: usize| plan.steps[index].id.clone();
    match why {
        NoOutcome::Required(failure) => DispatchError::Required { failure: Box::new(failure), subject },
        NoOutcome::Cancelled(index) => DispatchError::Cancelled { kind, hook: hook(index), subject },
        NoOutcome::NoRuntime(index) => DispatchError::NoRuntime { kind, hook: hook(index), subject },
    }
}

#[cold]
pub(super) fn too_deep<K: HookKind>(limit: usize, subject: K::Subject) -> DispatchError {
    let mut chain = depth::kinds();
    // The last one is this.
    chain.pop();
    DispatchError::TooDeep { kind: K::NAME, limit, chain, subject: Recovered::new(subject) }
}
