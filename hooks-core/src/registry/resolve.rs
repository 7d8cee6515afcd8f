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

/// The list that is in force in addition to the app's, and its owner. The prompt's list replaces the agent's, even if it
/// is empty.
struct List<'a> {
    owner: ListOwner,
    entries: &'a [HookUse],
    replaces: bool,
}

impl<'a> List<'a> {
    fn of(agent: &'a dyn Definition, prompt: Option<&'a PromptDef>) -> Self {
        match prompt.and_then(|prompt| Some((prompt, prompt.hooks()?))) {
            Some((prompt, entries)) => {
                Self { owner: ListOwner::Prompt(prompt.name().to_owned()), entries, replaces: true }
            }
            None => Self { owner: agent_owner(agent), entries: agent.hooks().unwrap_or_default(), replaces: false },
        }
    }
}

fn agent_owner(agent: &dyn Definition) -> ListOwner {
    ListOwner::Agent(agent.name().to_owned())
}

fn uses(snapshot: &Snapshot, installed: &Installed) -> Vec<HookUse> {
    snapshot.members(installed).iter().map(|id| HookUse::id(id.as_str())).collect()
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
    let List { owner, entries, replaces } = List::of(agent, prompt);
    let scope_list = named(snapshot, &owner, entries, &mut set.problems);
    // A plugin counts as entries at the end of the app's list.
    let of_agent = snapshot.plugins.iter().filter(|installed| installed.is_for(agent.name()));
    let plugins: Vec<(ListOwner, Vec<HookUse>)> = of_agent
        .map(|installed| (ListOwner::Plugin(installed.plugin.name.to_string()), uses(snapshot, installed)))
        .collect();
    let mut always: Vec<(&ListOwner, Named<'_>)> = app_list.iter().map(|named| (&app_owner, *named)).collect();
    for (owner, list) in &plugins {
        always.extend(named(snapshot, owner, list, &mut set.problems).into_iter().map(|entry| (owner, entry)));
    }
    refuse_outside_turn(snapshot, &owner, &scope_list, &always, &mut set.problems);

    let of_app: HashSet<&HookId> = app_list.iter().map(|named| named.name).collect();
    let given: HashMap<&HookId, &HookUse> =
        scope_list.iter().filter(|named| named.entry.with.is_some()).map(|named| (named.name, named.entry)).collect();
    for (of, named) in always.iter().copied().chain(scope_list.iter().map(|named| (&owner, *named))) {
        let Named { id, name, entry } = named;
        if let Some(selected) = set.selections.named(name) {
            set.problems.extend(named_otherwise(&selected.id, of, named));
            let hook = snapshot.hooks.get(id).filter(|_| of_app.contains(name));
            set.problems.extend(hook.and_then(|hook| parameters_of_app(hook, of, entry)));
            continue;
        }
        // A plugin passes no parameters to its hooks, so a list that names one may.
        let (of, entry) = match of {
            ListOwner::Plugin(_) => given.get(name).map_or((of, entry), |given| (&owner, *given)),
            _ => (of, entry),
        };
        set.select(of, Named { entry, ..named });
    }

    // Problems of the agent's list are reported when the agent is used without the prompt.
    let dropped =
        replaces.then(|| named(snapshot, &agent_owner(agent), agent.hooks().unwrap_or_default(), &mut Vec::new()));
    let nothing =
        (entries.is_empty() && always.is_empty()).then(|| no_hooks(&owner, replaces || agent.hooks().is_some()));
    let findings = |set: &SetBuilder<'_>| {
        let mut findings: Vec<Finding> = Vec::new();
        if let Some(dropped) = dropped {
            findings.extend(dropped_guards(snapshot, &set.selections, &dropped, &agent_owner(agent), &owner));
        }
        findings.extend(set.selections.as_slice().iter().filter_map(|selection| disabled(selection, &owner)));
        findings.extend(failed_plugins(snapshot, agent.name()));
        findings.extend(nothing);
        findings
    };
    let findings = findings(&set);
    set.finish(agent.name(), owner, findings)
}

/// Makes the set of the hooks that are in force for this agent and prompt, and not for every agent: those of the
/// prompt's list or else the agent's, and of plugins for this agent.
pub(super) fn alone(
    snapshot: &Snapshot,
    agent: &dyn Definition,
    prompt: Option<&PromptDef>,
) -> Result<HookSet, ConfigError> {
    let mut set = SetBuilder::new(snapshot, Part::Alone);
    let app_owner = set.app_owner();
    let app_list = named(snapshot, &app_owner, snapshot.app.hooks.as_deref().unwrap_or_default(), &mut set.problems);
    let of_app: HashSet<&HookId> = app_list.into_iter().map(|named| named.name).collect();
    let List { owner, entries, .. } = List::of(agent, prompt);
    let of_agent = snapshot.plugins.iter().filter(|installed| installed.is_for(agent.name()));
    let (everywhere, here): (Vec<_>, Vec<_>) = of_agent.partition(|installed| installed.plugin.agents.is_empty());
    let everywhere: HashSet<HookId> = everywhere.iter().flat_map(|installed| snapshot.members(installed)).collect();
    let here: Vec<HookUse> = here.iter().flat_map(|installed| uses(snapshot, installed)).collect();
    // The list comes first: unlike a plugin, it may pass parameters.
    let mut list = named(snapshot, &owner, entries, &mut set.problems);
    list.extend(named(snapshot, &owner, &here, &mut Vec::new()));
    for named in list {
        let Named { id, name, entry } = named;
        // The parameters of this agent may be stricter than those of another one that runs the same hook of a plugin.
        let is_of_agent = !of_app.contains(name) && (entry.with.is_some() || !everywhere.contains(id));
        if is_of_agent && set.selections.named(name).is_none() {
            set.select(&owner, named);
        }
    }
    set.finish(agent.name(), owner, Vec::new())
}

/// Makes the set that starts and stops a plugin: only its own hooks, and only their `init` and `shutdown`.
///
/// # Errors
/// Cycles among these hooks.
pub(super) fn lifecycle(snapshot: &Snapshot, installed: &Installed) -> Result<HookSet, ConfigError> {
    let mut set = SetBuilder::new(snapshot, Part::Lifecycle);
    let owner = ListOwner::Plugin(installed.plugin.name.to_string());
    for entry in named(snapshot, &owner, &uses(snapshot, installed), &mut set.problems) {
        set.select(&owner, entry);
    }
    set.finish("", owner, Vec::new())
}
