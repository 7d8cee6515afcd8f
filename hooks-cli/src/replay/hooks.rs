//! The hooks of a replay.

use hook_sdk::context::Ids;
use hook_sdk::scope::{AgentDef, HookUse, PromptDef};
use hook_sdk::{ConfigError, HookSet, Registry};
use hooks_rules::{Event, Rules};
use serde_json::Value;

use crate::program::Program;

/// A copy of the registry, with these rules in force in addition to the app's list. To compare them with other rules, only
/// the hooks of events that have rules, and the compiled hooks that rules name.
pub(super) fn with_rules(registry: &Registry, rules: &Rules, others: Option<&Rules>) -> Result<Registry, String> {
    let registry = registry.fork();
    let mut installed = rules.install(&registry).map_err(|error| error.to_string())?;
    if let Some(others) = others {
        // What rules say before a call, the result has.
        let results = if [rules, others].into_iter().all(judges_calls) { RESULTS.as_slice() } else { &[] };
        let of_results = results.iter().map(|event| event.hook_id());
        let named: Vec<HookUse> = hooks_of(rules).chain(of_results).map(|id| HookUse::id(&id)).collect();
        installed.retain(|hook| named.contains(&hook.clone().with(Value::Null)));
    }
    registry.set_app(registry.app().hooks(installed));
    Ok(registry)
}

const RESULTS: [Event; 2] = [Event::PostToolUse, Event::PostToolUseFailure];

fn judges_calls(rules: &Rules) -> bool {
    rules.list().iter().any(|rule| rule.enabled && rule.event == Event::PreToolUse)
}

/// The ids of the hooks that run rules.
pub(super) fn hooks_of(rules: &Rules) -> impl Iterator<Item = String> {
    rules.list().into_iter().map(|rule| rule.hook.unwrap_or_else(|| rule.event.hook_id()))
}

/// The hook set for the agent and the prompt of a dispatch.
pub(super) fn scope(program: &Program, registry: &Registry, ids: &Ids) -> Result<HookSet, ConfigError> {
    let (agent, prompt) = definition(program, ids);
    registry.scope(&agent, prompt.as_ref())
}

/// The agent and the prompt of a dispatch. For traffic of another program, which names none, the first definition. If
/// the app has none, an agent without hooks: then only the app's list, which contains the rules, is in force.
pub(super) fn definition(program: &Program, ids: &Ids) -> (AgentDef, Option<PromptDef>) {
    let named = program.definitions.iter().find(|(agent, prompt)| {
        ids.agent.as_deref() == Some(&*agent.name)
            && ids.prompt.as_deref() == prompt.as_ref().map(|prompt| &*prompt.name)
    });
    let first = program.definitions.first().filter(|_| ids.agent.is_none());
    let known = named.or(first).cloned();
    known.unwrap_or_else(|| (AgentDef::new(ids.agent.as_deref().unwrap_or("agent")), None))
}
