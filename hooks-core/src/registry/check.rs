//! Checks hooks when they are registered, and reports all problems at once.

use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::Hook;
use crate::id::HookId;
use crate::source::Origin;

pub(super) fn check(hook: &Hook) -> Vec<Problem> {
    let (id, origin) = (&hook.id, hook.origin);
    let mut problems = Vec::new();
    if !HookId::is_valid(id.as_str()) {
        let text = format!("{origin}: `{id}` is not an id: an id is {SNAKE_CASE}");
        problems.push(Problem::new(ProblemKind::BadId, id, text));
    }
    if let Some(plugin) = hook.plugin.as_ref().filter(|plugin| !HookId::is_valid(plugin.as_str())) {
        problems.push(bad_plugin_name(plugin.as_str(), origin));
    }
    problems.extend(hook.option_problems().into_iter().map(|bad| {
        let text = format!("{origin}: `{}` of the hook `{id}` {}", bad.option, bad.problem);
        Problem::new(ProblemKind::BadOption, id, text)
    }));
    problems.extend(check_members(hook));
    problems
}

/// Checks that a group has one hook for each kind, and one type of parameters.
pub(super) fn check_members(hook: &Hook) -> Vec<Problem> {
    let (id, origin) = (&hook.id, hook.origin);
    let mut problems = Vec::new();
    let problem = |text| Problem::new(ProblemKind::BadGroup, id, format!("{origin}: {text}"));
    if hook.bindings.is_empty() {
        problems.push(problem(format!("the group `{id}` has no hooks")));
    }
    for (i, binding) in hook.bindings.iter().enumerate() {
        let kind = binding.kind.name;
        if hook.kinds().take(i).any(|earlier| earlier == kind) {
            let text = format!("two hooks of the group `{id}` run at `{kind}`; a group has one for each kind");
            problems.push(problem(text));
        }
    }
    let mut types = hook.parameters_of_members().map(|spec| spec.of);
    if let Some(first) = types.next() {
        problems.extend(types.filter(|other| *other != first).map(|other| {
            problem(format!(
                "the hooks of the group `{id}` take different parameters, `&With<{first}>` and `&With<{other}>`, but a list passes one `with` to all of them; take the same type"
            ))
        }));
    }
    problems
}

/// The form of hook ids and plugin names, in the words of the attribute.
pub(super) const SNAKE_CASE: &str = "`snake_case`: a lower-case letter, then lower-case letters, digits and `_`";

pub(super) fn bad_plugin_name(plugin: &str, origin: Origin) -> Problem {
    let text = format!("{origin}: `{plugin}` is not a plugin's name: a plugin's name is {SNAKE_CASE}");
    Problem::new(ProblemKind::BadPluginName, plugin, text)
}
