//! Hooks as the attribute registers them at link time. Generated code uses this module.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;

use super::{Binding, Hook};
use crate::context::with::WithSpec;
use crate::id::HookId;
use crate::options::Options;
use crate::source::Origin;

/// A reference to a value of any type.
pub(crate) type AnyRef = &'static (dyn Any + Send + Sync);

/// A hook that is linked into the program, as a constant.
pub struct Registration {
    /// The hook, without its plugin.
    pub hook: Hook,
    /// The plugin that the attribute names.
    pub plugin: Option<&'static str>,
    /// The type of the function, by which `hooks![…]` finds it.
    pub function: fn() -> TypeId,
}

inventory::collect!(Registration);

impl Registration {
    /// All hooks that are linked into the program.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        inventory::iter::<Self>.into_iter()
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hook.fmt(f)
    }
}

/// The hook of a function.
pub const fn hook(
    (id, description): (&'static str, &'static str),
    origin: Origin,
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
        plugin: None,
        locked,
        asks_context,
        bindings: Cow::Borrowed(bindings),
    }
}

/// The `TypeId` of a function.
pub fn type_of<F: 'static>(_: &F) -> TypeId {
    TypeId::of::<F>()
}
