//! Checks that the hooks in `after`, `before` and `requires` exist and run at the same kind.

use super::Snapshot;
use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::Hook;
use crate::text::{did_you_mean, nearest};

/// Finds ids in `after`, `before` and `requires` that no hook has, or that run at none of this hook's kinds.
pub(super) fn check_constraints(snapshot: &Snapshot, hook: &Hook) -> Vec<Problem> {
    let options = &hook.options;
    let lists = [("after", &options.after), ("before", &options.before), ("requires", &options.requires)];
    let named = lists.into_iter().flat_map(|(option, ids)| ids.iter().map(move |id| (option, id)));
    named
        .filter_map(|(option, other)| {
            let (id, origin) = (&hook.id, hook.origin);
            let Some(other_hook) = snapshot.hooks.get(&**other) else {
                let meant = did_you_mean(&nearest(other, snapshot.hooks.keys().cloned()));
                let text = format!(
                    "{origin}: the hook `{id}` has `{option} = [\"{other}\"]`, but no hook with that id is registered{meant}"
                );
                return Some(Problem::new(ProblemKind::UnknownConstraint, id, text));
            };
            let meet = hook.kinds().any(|kind| other_hook.kinds().any(|other| other == kind));
            let (kind, other_origin) = (hook.kinds().next().unwrap_or_default(), other_hook.origin);
            (!meet).then(|| {
                let text = format!(
                    "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]`, but `{other}` ({other_origin}) does not run at `{kind}`"
                );
                Problem::new(ProblemKind::ConstraintElsewhere, id, text)
            })
        })
        .collect()
}
