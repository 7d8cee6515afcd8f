//! A registry for trying hooks in isolation.

use super::{Registry, Snapshot};
use crate::hook::HookSpec;

impl Registry {
    /// Configures the registry for trials: plugins need not be installed, other hooks of a plugin do not join in, and
    /// `init` runs when it is fired. Hooks in `after`, `before` and `requires` are added if they are linked, because
    /// their absence is not an error in a trial.
    pub(crate) fn for_trial(&self) {
        self.edit(|snapshot| {
            snapshot.trial = true;
            let wanted = constraints(snapshot);
            let mut specs: Vec<&HookSpec> =
                inventory::iter::<HookSpec>.into_iter().filter(|spec| wanted.iter().any(|id| id == spec.id)).collect();
            specs.sort_by_key(|spec| (spec.id, spec.origin));
            for spec in specs {
                // Duplicate ids are reported by `discover`; here the first hook is used.
                let _ = snapshot.add_spec(spec);
            }
        });
    }
}

/// The ids in `after`, `before` and `requires` that no hook here has.
fn constraints(snapshot: &Snapshot) -> Vec<String> {
    let options = snapshot.hooks.values().map(|registered| &registered.hook.options);
    let ids = options.flat_map(|options| options.after.iter().chain(&*options.before).chain(&*options.requires));
    ids.filter(|id| !snapshot.hooks.contains_key(&***id)).map(ToString::to_string).collect()
}
