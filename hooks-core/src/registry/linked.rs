//! Hooks of the program that a small registry has to know of.

use super::{Registry, Snapshot};
use crate::private::HookSpec;

impl Registry {
    /// Adds what the hooks that are there name in `after`, `before` and `requires`, where it is linked: the order of a
    /// hook is checked against hooks that are known, and one tried alone is not wrong for the lack of its neighbours.
    pub(crate) fn know_neighbours(&self) {
        self.edit(|snapshot| {
            let wanted = neighbours(snapshot);
            let mut specs: Vec<&HookSpec> =
                inventory::iter::<HookSpec>.into_iter().filter(|spec| wanted.iter().any(|id| id == spec.id)).collect();
            specs.sort_by_key(|spec| (spec.id, spec.origin));
            for spec in specs {
                // Two with one id are told by `discover`; here the first of them will do.
                let _ = snapshot.add_spec(spec);
            }
        });
    }
}

fn neighbours(snapshot: &Snapshot) -> Vec<String> {
    let options = snapshot.hooks.values().map(|registered| &registered.hook.options);
    let ids = options.flat_map(|options| options.after.iter().chain(&*options.before).chain(&*options.requires));
    ids.filter(|id| !snapshot.hooks.contains_key(&***id)).map(ToString::to_string).collect()
}
