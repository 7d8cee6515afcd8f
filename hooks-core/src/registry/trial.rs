//! A registry in which hooks are tried alone.

use super::{Registry, Snapshot};
use crate::hook::HookSpec;

impl Registry {
    /// Takes every hook here for one that is tried alone: no plugin has to be installed, none of its other hooks joins in, and
    /// its `init` runs when that is fired. Hooks named in `after`, `before` and `requires` are added where they are linked: a
    /// hook tried alone is not wrong for their lack.
    pub(crate) fn for_trial(&self) {
        self.edit(|snapshot| {
            snapshot.trial = true;
            let wanted = constraints(snapshot);
            let mut specs: Vec<&HookSpec> =
                inventory::iter::<HookSpec>.into_iter().filter(|spec| wanted.iter().any(|id| id == spec.id)).collect();
            specs.sort_by_key(|spec| (spec.id, spec.origin));
            for spec in specs {
                // Two with one id are reported by `discover`; here the first of them will do.
                let _ = snapshot.add_spec(spec);
            }
        });
    }
}

/// The ids that `after`, `before` and `requires` name and no hook here has.
fn constraints(snapshot: &Snapshot) -> Vec<String> {
    let options = snapshot.hooks.values().map(|registered| &registered.hook.options);
    let ids = options.flat_map(|options| options.after.iter().chain(&*options.before).chain(&*options.requires));
    ids.filter(|id| !snapshot.hooks.contains_key(&***id)).map(ToString::to_string).collect()
}
