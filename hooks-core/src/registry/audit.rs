//! Finds filters that match none of the harness's values.

use std::sync::Arc;

use wildmatch::WildMatch;

use crate::diagnostics::{Finding, FindingKind, HarnessFacts};
use crate::hook::{Binding, Hook};
use crate::text::{did_you_mean, nearest};

/// Finds each pattern that matches no known value, if no other pattern of its filter matches either or if it is a near
/// miss. A hook for several harnesses may name more values than one of them has.
pub(super) fn matching_nothing(hooks: &[Arc<Hook>], facts: &HarnessFacts) -> Vec<Finding> {
    let bindings = hooks.iter().flat_map(|hook| hook.bindings.iter().map(move |binding| (hook, binding)));
    bindings.flat_map(|(hook, binding)| of_binding(hook, binding, facts)).collect()
}

fn of_binding(hook: &Hook, binding: &Binding, facts: &HarnessFacts) -> Vec<Finding> {
    let (kind, fields) = (binding.kind, binding.kind.fields);
    let mut findings = Vec::new();
    for only in binding.filters.iter() {
        let field = only.field.as_ref().ok().and_then(|index| fields.get(*index).copied());
        let Some((field, values)) = field.and_then(|field| Some((field, facts.values(kind, field)?))) else { continue };
        let patterns = || only.patterns.split('|').map(str::trim);
        let matches = |pattern: &str| {
            let pattern = WildMatch::new(pattern);
            values.iter().any(|value| pattern.matches(value))
        };
        let is_alive = patterns().any(matches);
        for pattern in patterns().filter(|pattern| !matches(pattern)) {
            let nearest = nearest(pattern, values.iter().cloned());
            if !is_alive || !nearest.is_empty() {
                let (id, origin, at, meant) = (&hook.id, hook.origin, kind.name, did_you_mean(&nearest));
                let text = format!(
                    "the hook `{id}` ({origin}) runs at `{at}` only if `{field}` is `{pattern}`, which it never is in this harness{meant}"
                );
                findings.push(Finding::new(FindingKind::MatchesNothing, id, text));
            }
        }
    }
    findings
}
