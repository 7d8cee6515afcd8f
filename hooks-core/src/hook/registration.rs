//! Hooks as the attribute registers them at link time. Generated code uses this module.

use std::any::{Any, TypeId};
use std::borrow::Cow;

use super::{Binding, Hook};
use crate::id::HookId;
use crate::signature::GroupEntry;
use crate::source::Origin;

/// A reference to a value of any type.
pub(crate) type AnyRef = &'static (dyn Any + Send + Sync);

/// An annotated function as a hook, or as a member of a group.
#[derive(Debug)]
pub struct LinkedHook {
    hook: Hook,
    group: Option<&'static GroupEntry>,
}

inventory::collect!(LinkedHook);

impl Hook {
    /// All hooks that are linked into the program, with the members of each group as one hook. A hook has a plugin only
    /// if its attribute names one.
    pub(crate) fn linked() -> Vec<Self> {
        let mut hooks = Vec::new();
        let mut groups: Vec<(&GroupEntry, Vec<Self>)> = Vec::new();
        for linked in inventory::iter::<LinkedHook> {
            let hook = linked.hook.clone();
            let Some(group) = linked.group else {
                hooks.push(hook);
                continue;
            };
            // A crate that is linked twice declares two groups.
            match groups.iter_mut().find(|(known, _)| (known.item)() == (group.item)()) {
                Some((_, members)) => members.push(hook),
                None => groups.push((group, vec![hook])),
            }
        }
        hooks.extend(groups.into_iter().map(|(group, mut members)| {
            members.sort_by_key(|member| member.origin);
            let description = group.description.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
            let description = description.collect::<Vec<_>>().join("\n");
            let hook = Self::grouped(HookId::from_static(group.id), group.origin, members);
            let mut hook = hook.description(description.trim());
            hook.functions.to_mut().push(group.item);
            hook
        }));
        hooks
    }
}

/// The hook of a function with an id of its own.
pub const fn hook(
    (id, description): (&'static str, &'static str),
    origin: Origin,
    plugin: Option<&'static str>,
    locked: bool,
    functions: &'static [fn() -> TypeId],
    bindings: &'static [Binding],
) -> LinkedHook {
    let hook = Hook {
        id: HookId::from_static(id),
        description: Cow::Borrowed(description),
        origin,
        plugin: match plugin {
            Some(name) => Some(HookId::from_static(name)),
            None => None,
        },
        locked,
        functions: Cow::Borrowed(functions),
        bindings: Cow::Borrowed(bindings),
    };
    LinkedHook { hook, group: None }
}

/// The hook of a function that is a member of a group.
pub const fn member(group: &'static GroupEntry, mut hook: LinkedHook) -> LinkedHook {
    hook.group = Some(group);
    hook
}

/// The `TypeId` of a function, or of a group.
pub fn type_of<F: 'static>(_: &F) -> TypeId {
    TypeId::of::<F>()
}
