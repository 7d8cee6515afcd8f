//! Whether the hooks that an `after`, `before` or `requires` names can be met at all.

use super::Snapshot;
use crate::config::{Problem, nearest};
use crate::hook::Hook;

/// Ids in `after`, `before` and `requires` that no hook has, or that never run at a kind of this hook.
pub(super) fn check_neighbours(snapshot: &Snapshot, hook: &Hook) -> Vec<Problem> {
    let options = &hook.options;
    let lists = [("after", &options.after), ("before", &options.before), ("requires", &options.requires)];
    let named = lists.into_iter().flat_map(|(option, ids)| ids.iter().map(move |id| (option, id)));
    named
        .filter_map(|(option, other)| {
            let Some(neighbour) = snapshot.hooks.get(&**other) else {
                return Some(Problem::UnknownNeighbour {
                    id: hook.id.clone(),
                    option,
                    other: other.to_string(),
                    nearest: nearest(other, snapshot.hooks.keys()),
                    origin: hook.origin,
                });
            };
            let meet = hook.kinds().any(|kind| neighbour.hook.kinds().any(|other| other == kind));
            (!meet).then(|| Problem::NeighbourElsewhere {
                id: hook.id.clone(),
                option,
                other: other.to_string(),
                kind: hook.kinds().next().unwrap_or_default(),
                origin: hook.origin,
                other_origin: neighbour.hook.origin,
            })
        })
        .collect()
}
