//! Checks hooks that were built as values for everything that the attribute rejects at compile time, and reports all
//! problems at once. Problems that depend on the scope, such as a cycle, are reported when a set is made.

use std::time::Duration;

use super::patterns::problem;
use crate::diagnostics::{Problem, ProblemKind};
use crate::failure::OnFailure;
use crate::hook::Hook;
use crate::id::HookId;
use crate::options::{HookMode, RunMode, Timeout};
use crate::source::Origin;

pub(super) fn check(hook: &Hook) -> Vec<Problem> {
    let (id, origin) = (&hook.id, hook.origin);
    let mut problems = Vec::new();
    if !HookId::is_valid(id.as_str()) {
        let text = format!("{origin}: `{id}` is not a valid id: {NAME}");
        problems.push(Problem::new(ProblemKind::BadId, id, text));
    }
    if let Some(plugin) = hook.plugin.as_ref().filter(|plugin| !HookId::is_valid(plugin)) {
        problems.push(bad_plugin_name(plugin, origin));
    }
    problems.extend(policy_not_offered(hook));
    let bad = |(option, problem): (&'static str, String)| {
        Problem::new(ProblemKind::BadOption, id, format!("{origin}: `{option}` of the hook `{id}` {problem}"))
    };
    let options = timeout(hook).into_iter().chain(filters(hook)).chain(run(hook));
    problems.extend(options.chain(capabilities(hook)).chain(fallbacks(hook)).map(bad));
    problems
}

/// An option, and what is wrong with it.
type Bad = (&'static str, String);

fn policy_not_offered(hook: &Hook) -> Option<Problem> {
    let policy = hook.options.on_failure?;
    let refused = hook.bindings.iter().map(|binding| binding.kind).find(|kind| !kind.offers(policy));
    refused.map(|kind| {
        let (id, origin, policy, kind) = (&hook.id, hook.origin, policy.as_str(), kind.name);
        let text = format!("{origin}: the hook `{id}` has `on_failure = {policy}`, which `{kind}` does not offer");
        Problem::new(ProblemKind::PolicyNotOffered, id, text)
    })
}

/// The form of hook ids and plugin names.
const NAME: &str = "write a lower-case letter, then lower-case letters, digits and `_`";

pub(super) fn bad_plugin_name(plugin: &str, origin: Origin) -> Problem {
    let text = format!("{origin}: `{plugin}` is not a valid plugin name: {NAME}");
    Problem::new(ProblemKind::BadPluginName, plugin, text)
}

fn timeout(hook: &Hook) -> Option<Bad> {
    match hook.options.timeout {
        Timeout::After(Duration::ZERO) => {
            Some(("timeout", "must be longer than zero; write `Timeout::None` for no limit".to_owned()))
        }
        Timeout::After(_) if !hook.bindings.iter().any(|binding| binding.takes_timeout(&hook.options)) => {
            Some(("timeout", "needs an async hook: a plain function cannot be interrupted".to_owned()))
        }
        _ => None,
    }
}

fn fallbacks(hook: &Hook) -> impl Iterator<Item = Bad> + '_ {
    hook.bindings.iter().filter_map(|binding| Some(("fallback", binding.bad_fallback()?.to_owned())))
}

fn capabilities(hook: &Hook) -> Vec<Bad> {
    let Some(said) = hook.options.capabilities else { return Vec::new() };
    let mut bad = Vec::new();
    for kind in hook.bindings.iter().map(|binding| binding.kind) {
        let (name, offered) = (kind.name, kind.capabilities);
        if offered.is_empty() {
            bad.push(("capabilities", format!("has no effect at `{name}`, where hooks contribute nothing")));
        }
        for one in said.iter().filter(|one| !offered.is_empty() && !offered.has(*one)) {
            bad.push(("capabilities", format!("contains `{one}`, which `{name}` does not offer; it offers {offered}")));
        }
    }
    bad
}

fn run(hook: &Hook) -> Vec<Bad> {
    let options = &hook.options;
    let mut bad = Vec::new();
    if options.run != RunMode::Inline && options.on_failure.is_some_and(|policy| policy != OnFailure::Continue) {
        let text = format!("has no effect, because no dispatch waits for a {} hook; remove it", options.run);
        bad.push(("on_failure", text));
    }
    if options.run != RunMode::Inline && options.mode == HookMode::Shadow {
        let text = format!("has no effect, because no dispatch waits for a {} hook; remove it", options.run);
        bad.push(("mode", text));
    }
    if options.retries > 0 && (options.run != RunMode::Background || !options.idempotent) {
        bad.push(("retries", "needs an idempotent background hook; add `.idempotent()`, or remove it".to_owned()));
    }
    if !options.delay.is_zero() && options.run != RunMode::Background {
        bad.push(("delay", "needs a background hook, because only jobs wait; remove it".to_owned()));
    }
    for binding in hook.bindings.iter().filter(|binding| options.run == RunMode::Background && !binding.kind.json) {
        let text = format!(
            "cannot be `background` at `{}`, which cannot be serialized as JSON; add `json` to its `#[hook_kind(…)]`",
            binding.kind.name
        );
        bad.push(("run", text));
    }
    bad
}

fn filters(hook: &Hook) -> Vec<Bad> {
    let mut bad = Vec::new();
    for binding in &hook.bindings {
        for only in &binding.filters {
            if let Err(name) = &only.field {
                let known: Vec<String> = binding.kind.fields.iter().map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() {
                    "its event has no filter fields".to_owned()
                } else {
                    format!("its filter fields are {}", known.join(", "))
                };
                bad.push(("only", format!("cannot filter `{}` by `{name}`; {known}", binding.kind.name)));
            }
            if let Some(problem) = problem(&only.patterns) {
                bad.push(("only", problem.to_owned()));
            }
        }
    }
    bad
}
