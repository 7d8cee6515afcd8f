//! Whether the hooks that an `after`, `before` or `requires` names can be met at all.

use super::Snapshot;
use crate::diagnostics::Problem;
use crate::hook::Hook;
use crate::text::nearest;

/// Ids in `after`, `before` and `requires` that no hook has, or that never run at a kind of this hook.
pub(super) fn check_constraints(snapshot: &Snapshot, hook: &Hook) -> Vec<Problem> {
    let options = &hook.options;
    let lists = [("after", &options.after), ("before", &options.before), ("requires", &options.requires)];
    let named = lists.into_iter().flat_map(|(option, ids)| ids.iter().map(move |id| (option, id)));
    named
        .filter_map(|(option, other)| {
            let Some(other_hook) = snapshot.hooks.get(&**other) else {
                return Some(Problem::UnknownConstraint {
                    id: hook.id.clone(),
                    option,
                    other: other.to_string(),
                    nearest: nearest(other, snapshot.hooks.keys().cloned()),
                    origin: hook.origin,
                });
            };
            let meet = hook.kinds().any(|kind| other_hook.hook.kinds().any(|other| other == kind));
            (!meet).then(|| Problem::ConstraintElsewhere {
                id: hook.id.clone(),
                option,
                other: other.to_string(),
                kind: hook.kinds().next().unwrap_or_default(),
                origin: hook.origin,
                other_origin: other_hook.hook.origin,
            })
        })
        .collect()
}
