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
    problems
}

/// The form of hook ids and plugin names, in the words of the attribute.
const SNAKE_CASE: &str = "`snake_case`: a lower-case letter, then lower-case letters, digits and `_`";

pub(super) fn bad_plugin_name(plugin: &str, origin: Origin) -> Problem {
    let text = format!("{origin}: `{plugin}` is not a plugin's name: a plugin's name is {SNAKE_CASE}");
    Problem::new(ProblemKind::BadPluginName, plugin, text)
}
