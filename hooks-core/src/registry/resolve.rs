//! Makes the sets of a registry from the lists in force.

use std::collections::{HashMap, HashSet};

use super::Snapshot;
use super::entries::{Named, named, named_otherwise, parameters_of_app, refuse_outside_turn};
use super::findings::{disabled, dropped_guards, failed_plugins, no_hooks};
use super::set_builder::{Part, SetBuilder};
use crate::diagnostics::{ConfigError, Finding, ListOwner};
use crate::id::HookId;
use crate::plan::HookSet;
use crate::plugin::Installed;
use crate::scope::{Definition, HookUse, PromptDef};

/// The list that is in force in addition to the app's, its owner, and whether it is the prompt's, which replaces the agent's
/// even if it is empty.
fn list_of<'a>(agent: &'a dyn Definition, prompt: Option<&'a PromptDef>) -> (ListOwner, &'a [HookUse], bool) {
    match prompt.and_then(|prompt| Some((prompt, prompt.hooks()?))) {
        Some((prompt, entries)) => (ListOwner::Prompt(prompt.name().to_owned()), entries, true),
        None => (agent_owner(agent), agent.hooks().unwrap_or_default(), false),
    }
}

fn agent_owner(agent: &dyn Definition) -> ListOwner {
    ListOwner::Agent(agent.name().to_owned())
}

fn uses(snapshot: &Snapshot, installed: &Installed) -> Vec<HookUse> {
    snapshot.members_of(installed).iter().map(|id| HookUse::id(id.as_str())).collect()
}

/// Makes the set of the hooks in force for this agent and prompt.
pub(super) fn resolve(
    snapshot: &Snapshot,
    agent: &dyn Definition,
    prompt: Option<&PromptDef>,
    part: Part,
) -> Result<HookSet, ConfigError> {
    let mut set = SetBuilder::new(snapshot, part);
    let app_owner = set.app_owner();
    let app_list = named(snapshot, &app_owner, snapshot.app.hooks.as_deref().unwrap_or_default(), &mut set.problems);
    let (owner, entries, replaces) = list_of(agent, prompt);
    let scope_list = named(snapshot, &owner, entries, &mut set.problems);
    // A plugin counts as entries at the end of the app's list.
    let of_agent = snapshot.plugins.iter().filter(|installed| installed.is_for(agent.name()));
    let plugins: Vec<(ListOwner, Vec<HookUse>)> = of_agent
        .map(|installed| (ListOwner::Plugin(installed.plugin.name.to_string()), uses(snapshot, installed)))
        .collect();
    let mut always = app_list.clone();
    for (owner, list) in &plugins {
        always.extend(named(snapshot, owner, list, &mut set.problems));
    }
    refuse_outside_turn(snapshot, &scope_list, &always, &mut set.problems);

    let of_app: HashSet<&HookId> = app_list.iter().map(|named| named.name).collect();
    let given = scope_list.iter().filter(|named| named.entry.with.is_some());
    let given: HashMap<&HookId, &Named<'_>> = given.map(|named| (named.name, named)).collect();
    let everywhere = |installed: &&Installed| part == Part::Alone && installed.plugin.agents.is_empty();
    let everywhere = snapshot.plugins.iter().filter(everywhere).flat_map(|installed| snapshot.members_of(installed));
    let everywhere: HashSet<HookId> = everywhere.collect();
    // The parameters of this agent may be stricter than those of another one that runs the same hook of a plugin.
    let is_here = |Named { id, name, .. }: &&Named<'_>| {
        part != Part::Alone || !of_app.contains(name) && (given.contains_key(name) || !everywhere.contains(*id))
    };
    for mut named in always.iter().chain(&scope_list).filter(is_here).copied() {
        if let Some(selected) = set.selections.named(named.name) {
            set.problems.extend(named_otherwise(&selected.id, named));
            let hook = snapshot.hooks.get(named.id).filter(|_| of_app.contains(named.name));
            set.problems.extend(hook.and_then(|hook| parameters_of_app(hook, named)));
            continue;
        }
        // A plugin passes no parameters to its hooks, so a list that names one may.
        if let (ListOwner::Plugin(_), Some(given)) = (named.owner, given.get(named.name)) {
            (named.owner, named.entry) = (given.owner, given.entry);
        }
        set.select(named);
    }

    let mut findings: Vec<Finding> = Vec::new();
    if part == Part::Alone {
        return set.finish(agent.name(), owner, findings);
    }
    if replaces {
        let (of_agent, list) = (agent_owner(agent), agent.hooks().unwrap_or_default());
        // Problems of the agent's list are reported when the agent is used without the prompt.
        let list = named(snapshot, &of_agent, list, &mut Vec::new());
        findings.extend(dropped_guards(snapshot, &set.selections, &list, &of_agent, &owner));
    }
    findings.extend(set.selections.all.iter().filter_map(|selection| disabled(selection, &owner)));
    findings.extend(failed_plugins(snapshot, agent.name()));
    if entries.is_empty() && always.is_empty() {
        findings.push(no_hooks(&owner, replaces || agent.hooks().is_some()));
    }
    set.finish(agent.name(), owner, findings)
}

/// Makes the set that starts and stops a plugin: only its own hooks, and only their `init` and `shutdown`.
///
/// # Errors
/// Cycles among these hooks.
pub(super) fn lifecycle(snapshot: &Snapshot, installed: &Installed) -> Result<HookSet, ConfigError> {
    let mut set = SetBuilder::new(snapshot, Part::Lifecycle);
    let owner = ListOwner::Plugin(installed.plugin.name.to_string());
    for entry in named(snapshot, &owner, &uses(snapshot, installed), &mut set.problems) {
        set.select(entry);
    }
    set.finish("", owner, Vec::new())
}
