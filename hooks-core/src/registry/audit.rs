//! Findings that need knowledge of the harness, or that only a [check](crate::Registry::check) has to look at.

use std::sync::Arc;

use wildmatch::WildMatch;

use crate::diagnostics::{Finding, FindingKind, HarnessFacts};
use crate::failure::OnFailure;
use crate::hook::{Binding, Hook};
use crate::plan::HookSet;
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

/// Finds the hooks of these sets that rewrite and do not say what happens if they fail: what they should mask passes.
pub(super) fn rewriting_without_policy<'a>(sets: impl Iterator<Item = &'a HookSet>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for hook in sets.flat_map(HookSet::in_force) {
        let passes = |binding: &&Binding| {
            binding.form.writes
                && hook.options.on_failure.is_none()
                && binding.policy(&hook.options) == OnFailure::Continue
        };
        let Some(binding) = hook.bindings.iter().find(passes) else { continue };
        let (id, origin, at) = (&hook.id, hook.origin, binding.kind.name);
        if findings.iter().any(|finding| finding.about() == id.as_str()) {
            continue;
        }
        let text = format!(
            "the hook `{id}` ({origin}) rewrites at `{at}`, and if it fails, what it should rewrite passes unchanged; write `on_failure = required`{}, or `on_failure = continue` if that is right",
            if binding.kind.removable { " or `remove`" } else { "" }
        );
        findings.push(Finding::new(FindingKind::RewriteWithoutPolicy, id, text));
    }
    findings
}

/// With `panic = "abort"`, no panic can be isolated.
pub(super) fn panic_strategy() -> Option<Finding> {
    let text = "this program is built with `panic = \"abort\"`, so a hook that panics ends it; remove this line from the profile in `Cargo.toml`";
    cfg!(panic = "abort").then(|| Finding::new(FindingKind::PanicAborts, "", text))
}
