//! A hook at one kind, with the kind's type erased until a set is made.

use std::any::Any;
use std::sync::Arc;

use super::Hook;
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
pub(crate) struct Only {
    /// The registry rejects a name that the kind has no field for.
    pub(crate) field: String,
    pub(crate) patterns: String,
}

/// A value whose type only the kind's engine knows.
pub(crate) type Erased = Arc<dyn Any + Send + Sync>;

/// A hook at one kind.
#[derive(Clone)]
pub struct Binding {
    pub(crate) options: Options,
    pub(crate) kind: &'static KindDescriptor,
    /// See [`KindEngine`].
    pub(crate) engine: &'static (dyn Any + Send + Sync),
    handler: Erased,
    /// The fallback, or what is wrong with it, which the registry reports.
    pub(crate) fallback: Option<Result<Erased, String>>,
    pub(crate) form: Form,
    /// Whether the signature can return a decision.
    pub(crate) decides: bool,
    pub(crate) filters: Vec<Only>,
    /// What the parameters of the function need.
    pub(crate) needs: Vec<Need>,
    /// A [`CloneEvent`], if the hook needs an event of its own.
    clone_event: Option<Erased>,
    /// Whether a detached hook takes the subject.
    pub(crate) takes_subject: bool,
}

debug_of!(Binding, self => { kind: self.kind, form: self.form });

impl Binding {
    /// A function at the kind `K`. A filter is the name of its field, and its patterns.
    pub fn of<K: KindEngine>(
        options: Options,
        handler: &Handler<K>,
        fallback: Option<&Handler<K>>,
        decides: bool,
        (filters, needs): (&[(&str, &str)], &[Need]),
        clone_event: Option<CloneEvent<K>>,
        takes_subject: bool,
    ) -> Self {
        let mut binding = Self {
            options,
            kind: K::DESCRIPTOR,
            engine: K::ENGINE,
            handler: Arc::new(handler.clone()),
            fallback: fallback.map(|fallback| Ok(Arc::new(fallback.clone()) as Erased)),
            form: Form::of(handler),
            decides,
            filters: Vec::new(),
            needs: needs.to_vec(),
            clone_event: clone_event.map(|clone| Arc::new(clone) as Erased),
            takes_subject,
        };
        for (field, patterns) in filters {
            binding.only(field, patterns);
        }
        binding
    }

    /// Returns a binding that fails with `reason` wherever this one would run.
    pub(crate) fn failing<K: KindEngine>(&self, reason: &Arc<str>) -> Self {
        let reason = Arc::clone(reason);
        let handler = Handler::<K>::read(move |_, _, _| Err(Fault::error(&*reason)));
        let binding =
            Self::of(self.options.clone(), &handler, None, self.decides, (&[], &[Need::Context]), None, false);
        Self { filters: self.filters.clone(), ..binding }
    }

    /// The function that clones the event for the hook.
    pub(crate) fn clone_event<K: HookKind>(&self) -> Option<CloneEvent<K>> {
        self.clone_event.as_ref()?.downcast_ref().copied()
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
        self.filters.push(Only { field: field.to_owned(), patterns: patterns.to_owned() });
    }

    /// The filters with the names of their fields, except filters by a field that the kind does not have.
    pub(crate) fn filters(&self) -> impl Iterator<Item = (&'static str, &Only)> {
        let field = |only: &Only| self.kind.fields.iter().find(|known| **known == only.field).copied();
        self.filters.iter().filter_map(move |only| Some((field(only)?, only)))
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
                self.needs.extend_from_slice(&other.needs);
                Ok(other.handler.clone())
            }
            None => {
                let kinds = other.kinds().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
                Err(format!("runs at {kinds}, but must run at `{}` like the hook", self.kind.name))
            }
        });
    }

    /// The handler of the hook `id`, if the binding is one of `K`.
    pub(crate) fn handler<K: HookKind>(&self, id: &HookId) -> Option<Handler<K>> {
        Some(self.limited(id, self.handler.downcast_ref::<Handler<K>>()?))
    }

    /// The fallback of the hook `id`, if the binding is one of `K`.
    pub(crate) fn fallback<K: HookKind>(&self, id: &HookId) -> Option<Handler<K>> {
        Some(self.limited(id, self.fallback.as_ref()?.as_ref().ok()?.downcast_ref::<Handler<K>>()?))
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
