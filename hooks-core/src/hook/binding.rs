//! A hook at one kind, with the kind's type erased until a set is made.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use super::Hook;
use super::registration::AnyRef;
use crate::failure::OnFailure;
use crate::handler::{Fault, Form, Handler};
use crate::id::HookId;
use crate::kind::{HookKind, KindDescriptor, KindEngine};
use crate::options::{Options, Timeout};
use crate::signature::parameters::Need;
use crate::tables::debug_of;

/// Clones the event for a hook that needs one of its own.
pub type CloneEvent<K> = fn(&K) -> Arc<K>;

/// A filter: the hook runs only if these patterns match.
#[derive(Clone, Debug)]
pub struct Only {
    /// The index in `HookKind::FIELDS`, or a name that the kind has no field for, which the registry rejects.
    pub(crate) field: Result<usize, String>,
    pub(crate) patterns: Cow<'static, str>,
}

impl Only {
    /// A filter of the attribute, by the index of its field.
    pub const fn at(field: usize, patterns: &'static str) -> Self {
        Self { field: Ok(field), patterns: Cow::Borrowed(patterns) }
    }
}

/// A hook at one kind.
#[derive(Clone)]
pub struct Binding {
    pub(crate) options: Options,
    pub(crate) kind: &'static KindDescriptor,
    /// See [`KindEngine`].
    pub(crate) engine: &'static (dyn Any + Send + Sync),
    handler: Erased,
    /// The fallback, or what is wrong with it, which the registry reports.
    fallback: Option<Result<Erased, String>>,
    pub(crate) form: Form,
    /// Whether the signature can return a decision.
    pub(crate) decides: bool,
    pub(crate) filters: Cow<'static, [Only]>,
    /// What the parameters of the function need.
    pub(crate) needs: Cow<'static, [Need]>,
    /// A [`CloneEvent`], if the hook needs an event of its own.
    clone_event: Option<Erased>,
    /// Whether a detached hook takes the subject.
    pub(crate) takes_subject: bool,
}

debug_of!(Binding, self => { kind: self.kind, form: self.form });

/// A type-erased value from the attribute or from a registered closure.
#[derive(Clone)]
enum Erased {
    Static(AnyRef),
    Shared(Arc<dyn Any + Send + Sync>),
}

impl Erased {
    fn get<T: 'static>(&self) -> Option<&T> {
        match self {
            Self::Static(value) => value.downcast_ref(),
            Self::Shared(value) => value.downcast_ref(),
        }
    }
}

impl Binding {
    /// A function of the attribute, as a constant.
    pub const fn of<K: KindEngine>(
        options: Options,
        handler: &'static Handler<K>,
        fallback: Option<&'static Handler<K>>,
        decides: bool,
        (filters, needs): (&'static [Only], &'static [Need]),
        clone_event: Option<&'static CloneEvent<K>>,
        takes_subject: bool,
    ) -> Self {
        Self {
            options,
            kind: K::DESCRIPTOR,
            engine: K::ENGINE,
            handler: Erased::Static(handler),
            fallback: match fallback {
                Some(fallback) => Some(Ok(Erased::Static(fallback))),
                None => None,
            },
            form: Form::of(handler),
            decides,
            filters: Cow::Borrowed(filters),
            needs: Cow::Borrowed(needs),
            clone_event: match clone_event {
                Some(clone) => Some(Erased::Static(clone)),
                None => None,
            },
            takes_subject,
        }
    }

    pub(crate) fn new<K: KindEngine>(handler: Handler<K>, decides: bool, clone_event: Option<CloneEvent<K>>) -> Self {
        let form = Form::of(&handler);
        Self {
            options: Options::DEFAULT,
            kind: K::DESCRIPTOR,
            engine: K::ENGINE,
            handler: Erased::Shared(Arc::new(handler)),
            fallback: None,
            form,
            decides,
            filters: Cow::Borrowed(&[]),
            needs: Cow::Borrowed(&[Need::Context]),
            clone_event: clone_event.map(|clone| Erased::Shared(Arc::new(clone))),
            takes_subject: form.detached,
        }
    }

    /// Returns a binding that fails with `reason` wherever this one would run.
    pub(crate) fn failing<K: KindEngine>(&self, reason: &Arc<str>) -> Self {
        let reason = Arc::clone(reason);
        let handler = Handler::<K>::read(move |_, _, _| Err(Fault::error(&*reason)));
        let (options, filters) = (self.options.clone(), self.filters.clone());
        Self { options, filters, ..Self::new(handler, self.decides, None) }
    }

    /// The function that clones the event for the hook.
    pub(crate) fn clone_event<K: HookKind>(&self) -> Option<CloneEvent<K>> {
        self.clone_event.as_ref()?.get().copied()
    }

    /// Whether a dispatch must await the hook.
    pub(crate) fn is_async(&self) -> bool {
        self.form.is_async || (self.options.blocking && !self.form.detached)
    }

    /// Whether a timeout can end the hook.
    pub(crate) fn takes_timeout(&self) -> bool {
        self.is_async() || self.form.detached
    }

    /// What happens when the hook fails. Always `Continue` if no dispatch waits for it.
    pub(crate) fn policy(&self) -> OnFailure {
        let policy = self.options.on_failure.unwrap_or(self.kind.on_failure);
        if self.form.detached { OnFailure::Continue } else { policy }
    }

    /// Adds a filter: the field must match one of these patterns.
    pub(crate) fn only(&mut self, field: &str, patterns: &str) {
        let index = self.kind.fields.iter().position(|known| *known == field);
        self.filters
            .to_mut()
            .push(Only { field: index.ok_or_else(|| field.to_owned()), patterns: patterns.to_owned().into() });
    }

    /// The filters with the names of their fields, except filters by a field that the kind does not have.
    pub(crate) fn filters(&self) -> impl Iterator<Item = (&'static str, &Only)> {
        let fields = self.kind.fields;
        self.filters.iter().filter_map(|only| Some((*fields.get(*only.field.as_ref().ok()?)?, only)))
    }

    /// Whether the hook has a fallback.
    pub(crate) fn has_fallback(&self) -> bool {
        self.fallback.is_some()
    }

    /// Makes another hook's function the fallback.
    pub(crate) fn fall_back(&mut self, other: &Hook) {
        let fitting = other.bindings.iter().find(|other| (other.kind.event)() == (self.kind.event)());
        self.fallback = Some(match fitting {
            Some(other) if other.form != self.form => {
                Err(format!("is a `{}`, but must be a `{}` like the hook", other.form.name, self.form.name))
            }
            Some(other) if self.decides && !other.decides => {
                Err(format!("returns no verdict, but the hook does at `{}`; return a verdict from it", self.kind.name))
            }
            Some(other) => {
                // A hook from a registry may need more than this one.
                self.needs.to_mut().extend_from_slice(&other.needs);
                Ok(other.handler.clone())
            }
            None => {
                let kinds = other.kinds().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
                Err(format!("runs at {kinds}, but must run at `{}` like the hook", self.kind.name))
            }
        });
    }

    /// Why the fallback is invalid.
    pub(crate) fn bad_fallback(&self) -> Option<&str> {
        self.fallback.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// The handler of the hook `id`, if the binding is one of `K`.
    pub(crate) fn handler<K: HookKind>(&self, id: &HookId) -> Option<Handler<K>> {
        Some(self.limited(id, self.handler.get::<Handler<K>>()?))
    }

    /// The fallback of the hook `id`, if the binding is one of `K`.
    pub(crate) fn fallback<K: HookKind>(&self, id: &HookId) -> Option<Handler<K>> {
        Some(self.limited(id, self.fallback.as_ref()?.as_ref().ok()?.get::<Handler<K>>()?))
    }

    fn limited<K: HookKind>(&self, id: &HookId, handler: &Handler<K>) -> Handler<K> {
        let mut handler = handler.clone();
        if let Timeout::After(limit) = self.options.timeout {
            handler = handler.punctual(limit);
        }
        match self.options.capabilities {
            None => handler,
            Some(held) => handler.limited(id.clone(), held),
        }
    }
}
