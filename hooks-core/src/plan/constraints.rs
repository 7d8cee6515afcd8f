//! Rejects ordering constraints on detached and background hooks, because nothing can wait for them.

use std::collections::HashMap;

use super::PlannedHook;
use crate::diagnostics::{Problem, ProblemKind};
use crate::options::RunMode;

/// Finds every `after`, `before` and `requires` that makes a hook wait for a detached or background one.
pub(super) fn waits_for_detached(kind: &'static str, candidates: &[PlannedHook<'_>]) -> Vec<Problem> {
    let by_id: HashMap<&str, &PlannedHook<'_>> =
        candidates.iter().map(|candidate| (candidate.selection.id.as_str(), candidate)).collect();
    let mut problems = Vec::new();
    for this in candidates {
        let options = &this.binding.options;
        for (option, ids) in options.constraints() {
            for other in ids.iter().filter_map(|id| by_id.get(&**id)) {
                let (first, second) = if option == "before" { (this, *other) } else { (*other, this) };
                if first.binding.options.run != RunMode::Inline {
                    let (id, origin) = (this.hook(), this.selection.hook.origin);
                    let (other, other_origin) = (other.hook(), other.selection.hook.origin);
                    let (waiting, detached, mode) = (second.hook(), first.hook(), first.binding.options.run);
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
