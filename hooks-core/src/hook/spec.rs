//! Hooks as the attribute registers them at link time.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use crate::context::WithSpec;
use crate::handler::Form;
use crate::kind::{HookKind, KindDescriptor};
use crate::options::Options;
use crate::source::Origin;

/// A reference to a value of any type.
pub(crate) type AnyRef = &'static (dyn Any + Send + Sync);

/// A hook as the attribute registers it.
#[derive(Debug)]
pub struct HookSpec {
    pub id: &'static str,
    pub description: &'static str,
    pub origin: Origin,
    /// The type of the function, by which `hooks![…]` finds it.
    pub function: fn() -> TypeId,
    pub options: Options,
    /// Parses the parameters that a list passes.
    pub with: Option<WithSpec>,
    /// The plugin that the attribute names.
    pub plugin: Option<&'static str>,
    pub locked: bool,
    /// Whether one of its parameters is the context.
    pub asks_context: bool,
    pub bindings: &'static [BindingSpec],
}

inventory::collect!(HookSpec);

/// A hook at one kind as the attribute registers it.
pub struct BindingSpec {
    pub kind: fn() -> &'static KindDescriptor,
    /// A [`Handler`](crate::handler::Handler) of the kind.
    pub handler: AnyRef,
    pub form: Form,
    /// The fallback in the same form.
    pub fallback: Option<AnyRef>,
    pub decides: bool,
    pub filters: Filters,
    /// An [`OwnEvent`] of the kind, for a hook that needs its own event.
    pub own: Option<AnyRef>,
    /// Whether a detached hook takes the subject.
    pub takes_subject: bool,
}

impl fmt::Debug for BindingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BindingSpec").field("kind", (self.kind)()).finish_non_exhaustive()
    }
}

/// Clones the event for a hook.
pub type OwnEvent<K> = fn(&K) -> Arc<K>;

/// Filters: patterns by the field's index in `HookKind::FIELDS`.
pub type Filters = &'static [(usize, &'static str)];

/// The function that returns a kind's descriptor.
pub const fn kind<K: HookKind>() -> fn() -> &'static KindDescriptor {
    K::descriptor
}

/// The `TypeId` of a function.
pub fn type_of<F: 'static>(_: &F) -> TypeId {
    TypeId::of::<F>()
}
