//! Hooks as the attribute registers them at link time. Generated code uses this module.

use std::any::{Any, TypeId};
use std::borrow::Cow;

use super::{Binding, Hook};
use crate::context::with::WithSpec;
use crate::id::HookId;
use crate::options::Options;
use crate::source::Origin;

/// A reference to a value of any type.
pub(crate) type AnyRef = &'static (dyn Any + Send + Sync);

inventory::collect!(Hook);

impl Hook {
    /// All hooks that are linked into the program, each with the type of its function. A hook has a plugin only if its
    /// attribute names one.
    pub(crate) fn linked() -> impl Iterator<Item = (TypeId, &'static Self)> {
        inventory::iter::<Self>.into_iter().filter_map(|hook| Some((hook.function?(), hook)))
    }
}

/// The hook of a function.
pub const fn hook(
    (id, description): (&'static str, &'static str),
    (origin, plugin, function): (Origin, Option<&'static str>, fn() -> TypeId),
    options: Options,
    locked: bool,
    with: Option<WithSpec>,
    asks_context: bool,
    bindings: &'static [Binding],
) -> Hook {
    Hook {
        id: HookId::from_static(id),
        description: Cow::Borrowed(description),
        origin,
        options,
        with,
        plugin: match plugin {
            Some(name) => Some(HookId::from_static(name)),
            None => None,
        },
        locked,
        asks_context,
        function: Some(function),
        bindings: Cow::Borrowed(bindings),
    }
}

/// The `TypeId` of a function.
pub fn type_of<F: 'static>(_: &F) -> TypeId {
    TypeId::of::<F>()
}
