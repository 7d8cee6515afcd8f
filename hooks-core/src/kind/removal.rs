//! Whether hooks may remove the subject.

use super::HookKind;

/// Whether a kind allows removal of its subject. Determines the type of
/// [`Fired::subject`](crate::dispatch::Fired::subject).
pub trait Removal<S>: Send + Sync + 'static {
    /// The type of [`Fired::subject`](crate::dispatch::Fired::subject).
    type FinalSubject: Send;
    /// Whether hooks may remove the subject.
    const ALLOWED: bool;
    // Not public API.
    #[doc(hidden)]
    fn kept(subject: S, removed: bool) -> Self::FinalSubject;
    // Not public API.
    #[doc(hidden)]
    fn left(kept: Self::FinalSubject) -> Option<S>;
}

/// Hooks cannot remove the subject.
#[derive(Debug)]
pub enum Never {}

/// A hook may remove the subject by returning `None`.
#[derive(Debug)]
pub enum Allowed {}

impl<S: Send> Removal<S> for Never {
    type FinalSubject = S;
    const ALLOWED: bool = false;
    #[inline]
    fn kept(subject: S, _removed: bool) -> S {
        subject
    }

    fn left(kept: S) -> Option<S> {
        Some(kept)
    }
}

impl<S: Send> Removal<S> for Allowed {
    type FinalSubject = Option<S>;
    const ALLOWED: bool = true;
    #[inline]
    fn kept(subject: S, removed: bool) -> Option<S> {
        (!removed).then_some(subject)
    }

    fn left(kept: Option<S>) -> Option<S> {
        kept
    }
}

/// What a dispatch of `K` returns: the subject, or an `Option` of it if hooks may remove it.
pub type FinalSubject<K> = <<K as HookKind>::Removal as Removal<<K as HookKind>::Subject>>::FinalSubject;
