//! Rejects ordering constraints on detached and background hooks, because nothing can wait for them.

use std::collections::HashMap;

use super::PlannedHook;
use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::Hook;
use crate::options::RunMode;

/// Finds every `after`, `before` and `requires` that makes a hook wait for a detached or background one.
pub(super) fn waits_for_detached(kind: &'static str, candidates: &[PlannedHook<'_>]) -> Vec<Problem> {
    let hooks = || candidates.iter().map(|candidate| &*candidate.selection.hook);
    let by_id: HashMap<&str, &Hook> = hooks().map(|hook| (hook.id.as_str(), hook)).collect();
    let mut problems = Vec::new();
    for this in hooks() {
        let options = &this.options;
        for (option, ids) in [("after", &options.after), ("before", &options.before), ("requires", &options.requires)] {
            for other in ids.iter().filter_map(|id| by_id.get(&**id)) {
                let (first, second) = if option == "before" { (this, *other) } else { (*other, this) };
                if first.options.run != RunMode::Inline {
                    let (id, origin) = (&this.id, this.origin);
                    let (other, other_origin) = (&other.id, other.origin);
                    let (waiting, detached, mode) = (&second.id, &first.id, first.options.run);
                    let text = format!(
                        "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]` ({other_origin}), so `{waiting}` would wait for `{detached}`, which no dispatch waits for (`run = {mode}`); remove the `{option}`, or let `{detached}` run inline"
                    );
                    problems.push(Problem::new(ProblemKind::WaitsForDetached, id, text));
                }
            }
        }
    }
    problems
}
