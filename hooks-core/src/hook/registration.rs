//! Hooks as the attribute registers them at link time. Generated code uses this module.

use super::{Binding, Hook};
use crate::id::HookId;
use crate::signature::GroupEntry;
use crate::source::{Item, Origin};

/// An annotated function as a hook, or as a member of a group.
#[derive(Debug)]
pub struct LinkedHook {
    /// Its id, or the name of the member.
    pub id: &'static str,
    /// Its doc comment.
    pub description: &'static str,
    /// The group of a member.
    pub group: Option<&'static GroupEntry>,
    /// Where the function is.
    pub origin: Origin,
    /// The plugin, if the attribute names one.
    pub plugin: Option<&'static str>,
    /// Whether overrides of the operator cannot change it.
    pub locked: bool,
    /// The type of the function.
    pub function: fn() -> Item,
    /// The function at each of its kinds.
    pub bindings: &'static [fn() -> Binding],
}

inventory::collect!(LinkedHook);

impl Hook {
    /// All hooks that are linked into the program, with the members of each group as one hook. A hook has a plugin only
    /// if its attribute names one.
    pub(crate) fn linked() -> Vec<Self> {
        let mut hooks = Vec::new();
        let mut groups: Vec<(&GroupEntry, Vec<Self>)> = Vec::new();
        for linked in inventory::iter::<LinkedHook> {
            let hook = Self {
                id: HookId::from_static(linked.id),
                description: linked.description.to_owned(),
                version: String::new(),
                origin: linked.origin,
                plugin: linked.plugin.map(HookId::from_static),
                locked: linked.locked,
                functions: vec![linked.function],
                bindings: linked.bindings.iter().map(|binding| binding()).collect(),
            };
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
            // A macro puts all of its hooks on one line.
            members.sort_by(|one, other| (one.origin, &one.id).cmp(&(other.origin, &other.id)));
            let description = group.description.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
            let description = description.collect::<Vec<_>>().join("\n");
            let hook = Self::grouped(HookId::from_static(group.id), group.origin, members);
            let mut hook = hook.description(description.trim());
            hook.functions.push(group.item);
            hook
        }));
        // Link order differs between builds; messages must not.
        hooks.sort_by(|a, b| (&a.id, a.origin).cmp(&(&b.id, b.origin)));
        hooks
    }
}
