//! Checks that the hooks in `after`, `before` and `requires` exist and run at the same kind.

use std::collections::BTreeMap;

use super::Snapshot;
use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::Hook;
use crate::id::HookId;
use crate::text::nearest_names;

/// Finds ids in `after`, `before` and `requires` that no hook has, or that run at none of the kinds at which this hook
/// names them.
pub(super) fn check_constraints(snapshot: &Snapshot, hook: &Hook) -> Vec<Problem> {
    let mut named: BTreeMap<(&str, &str), Vec<&'static str>> = BTreeMap::new();
    for binding in &hook.bindings {
        let options = &binding.options;
        for (option, ids) in options.constraints() {
            ids.iter().for_each(|id| named.entry((option, id)).or_default().push(binding.kind.name));
        }
    }
    let problem = |((option, other), kinds): ((&str, &str), Vec<&'static str>)| {
        let (id, origin) = (&hook.id, hook.origin);
        let Some(other_hook) = snapshot.hooks.get(other) else {
            let meant = nearest_names(other, snapshot.hooks.keys().map(HookId::as_str));
            let text = format!(
                "{origin}: the hook `{id}` has `{option} = [\"{other}\"]`, but no hook with that id is registered{meant}"
            );
            return Some(Problem::new(ProblemKind::UnknownConstraint, id, text));
        };
        let meet = other_hook.kinds().any(|kind| kinds.contains(&kind));
        let (kind, other_origin) = (kinds[0], other_hook.origin);
        (!meet).then(|| {
            let text = format!(
                "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]`, but `{other}` ({other_origin}) does not run at `{kind}`"
            );
            Problem::new(ProblemKind::ConstraintElsewhere, id, text)
        })
    };
    named.into_iter().filter_map(problem).collect()
}
