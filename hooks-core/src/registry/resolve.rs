//! Resolves lists of names to a set.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::entries::{named, parameters, parameters_of_app, refuse_outside_turn};
use super::plans::{Part, in_order, plan_kinds};
use super::plugins::is_lifecycle;
use super::{Registered, Snapshot};
use crate::context::Bound;
use crate::context::PerHook;
use crate::diagnostics::{ConfigError, Finding, FindingKind, ListOwner};
use crate::engine::Engine;
use crate::failure::OnFailure;
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::plan::{Disabled, HookSet, SetParts};
use crate::plugin::{Installed, PluginState};
use crate::scope::{Definition, HookUse, PromptDef};
use crate::verdict::Semantics;

/// A hook that a list in force names, or that belongs to an installed plugin.
pub(super) struct Chosen {
    /// The hook with the operator's overrides applied.
    pub(super) hook: Arc<Hook>,
    /// What the overrides changed, for the plan.
    pub(super) overridden: Option<String>,
    pub(super) disabled: Option<Disabled>,
    pub(super) position: usize,
    /// The position of the entry that names the hook, if known.
    pub(super) place: Option<String>,
    /// The part of the context that is only for this hook.
    pub(super) own: Option<Arc<PerHook>>,
    /// The parameters that the list passes, as JSON.
    pub(super) given: Option<Value>,
}

/// Makes the set of the hooks that are in force for this agent and prompt, and not for every agent: those of the prompt's
/// list or else the agent's, and of plugins for this agent.
pub(super) fn alone(
    snapshot: &Snapshot,
    agent: &dyn Definition,
    prompt: Option<&PromptDef>,
) -> Result<HookSet, ConfigError> {
    let mut problems = Vec::new();
    let (owner, list) = match prompt.and_then(|prompt| prompt.hooks().map(|hooks| (prompt, hooks))) {
        Some((prompt, hooks)) => (ListOwner::Prompt(prompt.name().to_owned()), hooks),
        None => (ListOwner::Agent(agent.name().to_owned()), agent.hooks().unwrap_or_default()),
    };
    let of_app: HashSet<&HookId> = {
        let owner = ListOwner::App(snapshot.app.name.clone());
        let app = snapshot.app.hooks.as_deref().unwrap_or_default();
        named(snapshot, &owner, app, &mut problems).into_iter().map(|(id, _)| id).collect()
    };
    let (everywhere, here): (Vec<_>, Vec<_>) = snapshot
        .plugins
        .iter()
        .filter(|installed| installed.is_for(agent.name()))
        .partition(|installed| installed.plugin.agents.is_empty());
    let of_plugins: HashSet<HookId> = everywhere.iter().flat_map(|installed| snapshot.members(installed)).collect();
    let here: Vec<HookUse> = here.iter().flat_map(|installed| uses(snapshot, installed)).collect();
    let here = named(snapshot, &owner, &here, &mut Vec::new());
    let list = named(snapshot, &owner, list, &mut problems);
    // The parameters of this agent may be stricter than those of another one that runs the same hook of a plugin.
    let is_own =
        |id: &HookId, entry: &HookUse| !of_app.contains(id) && (entry.with.is_some() || !of_plugins.contains(id));
    let mut chosen: HashMap<&HookId, Chosen> = HashMap::new();
    // The list comes first: unlike a plugin, it may pass parameters.
    for (id, entry) in list.into_iter().chain(here) {
        let Some((id, registered)) = snapshot.hooks.get_key_value(id).filter(|(id, _)| is_own(id, entry)) else {
            continue;
        };
        if chosen.contains_key(id) {
            continue;
        }
        let with = parameters(registered, &owner, entry).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let one = Chosen::new(snapshot, registered, entry.position(), chosen.len(), with).unless_started(snapshot);
        chosen.insert(id, one);
    }
    let plans = plan_kinds(snapshot, &chosen, Part::Alone, &mut problems);
    ConfigError::unless_empty(problems)?;
    Ok(HookSet::new(plans, set_parts(snapshot, agent.name(), owner, &chosen, Vec::new())))
}

pub(super) fn resolve(
    snapshot: &Snapshot,
    agent: &dyn Definition,
    prompt: Option<&PromptDef>,
) -> Result<HookSet, ConfigError> {
    let mut problems = Vec::new();
    let app_owner = ListOwner::App(snapshot.app.name.clone());
    let agent_owner = ListOwner::Agent(agent.name().to_owned());
    let app_list = named(snapshot, &app_owner, snapshot.app.hooks.as_deref().unwrap_or_default(), &mut problems);
    // The prompt's list replaces the agent's, even if it is empty.
    let replacing = prompt.and_then(|prompt| prompt.hooks().map(|hooks| (prompt, hooks)));
    let (owner, list) = match replacing {
        Some((prompt, hooks)) => (ListOwner::Prompt(prompt.name().to_owned()), hooks),
        None => (agent_owner.clone(), agent.hooks().unwrap_or_default()),
    };
    let scope_list = named(snapshot, &owner, list, &mut problems);
    // A plugin counts as entries at the end of the app's list.
    let plugins: Vec<(ListOwner, Vec<HookUse>)> = snapshot
        .plugins
        .iter()
        .filter(|installed| installed.is_for(agent.name()))
        .map(|installed| (ListOwner::Plugin(installed.plugin.name.to_string()), uses(snapshot, installed)))
        .collect();
    let mut always: Vec<(&ListOwner, (&HookId, &HookUse))> =
        app_list.iter().map(|entry| (&app_owner, *entry)).collect();
    for (owner, list) in &plugins {
        always.extend(named(snapshot, owner, list, &mut problems).into_iter().map(|entry| (owner, entry)));
    }
    refuse_outside_turn(snapshot, &owner, &scope_list, &always, &mut problems);

    let of_app: HashSet<&HookId> = app_list.iter().map(|(id, _)| *id).collect();
    let given: HashMap<&HookId, &HookUse> =
        scope_list.iter().filter(|(_, entry)| entry.with.is_some()).copied().collect();
    let mut chosen: HashMap<&HookId, Chosen> = HashMap::new();
    let entries = always.iter().copied().chain(scope_list.iter().map(|entry| (&owner, *entry)));
    for (of, (id, entry)) in entries {
        let position = chosen.len();
        let Some((id, registered)) = snapshot.hooks.get_key_value(id) else { continue };
        if chosen.contains_key(id) {
            problems.extend(parameters_of_app(registered, of, entry).filter(|_| of_app.contains(id)));
            continue;
        }
        // A plugin passes no parameters to its hooks, so a list that names one may.
        let (of, entry) = match of {
            ListOwner::Plugin(_) => given.get(id).map_or((of, entry), |given| (&owner, *given)),
            _ => (of, entry),
        };
        let with = parameters(registered, of, entry).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let chosen_one = Chosen::new(snapshot, registered, entry.position(), position, with);
        let mut chosen_one = chosen_one.unless_started(snapshot);
        chosen_one.given.clone_from(&entry.with);
        chosen.insert(id, chosen_one);
    }
    let plans = plan_kinds(snapshot, &chosen, if snapshot.trial { Part::All } else { Part::Scope }, &mut problems);
    ConfigError::unless_empty(problems)?;

    let mut findings: Vec<Finding> = plans.iter().flat_map(|plan| plan.findings.iter().cloned()).collect();
    if replacing.is_some() {
        // Problems of the agent's list are reported when the agent is used without the prompt.
        let dropped = named(snapshot, &agent_owner, agent.hooks().unwrap_or_default(), &mut Vec::new());
        findings.extend(dropped_guards(snapshot, &chosen, &dropped, &agent_owner, &owner));
    }
    findings.extend(in_order(&chosen).into_iter().filter_map(|chosen| disabled(chosen, &owner)));
    findings.extend(failed_plugins(snapshot, agent));
    if list.is_empty() && always.is_empty() {
        let declared = replacing.is_some() || agent.hooks().is_some();
        findings.push(no_hooks(&owner, declared));
    }
    Ok(HookSet::new(plans, set_parts(snapshot, agent.name(), owner, &chosen, findings)))
}

/// Makes the set that starts and stops a plugin: only its own hooks, and only their `init` and `shutdown`.
///
/// # Errors
/// Cycles among these hooks.
pub(super) fn lifecycle(snapshot: &Snapshot, installed: &Installed) -> Result<HookSet, ConfigError> {
    let owner = ListOwner::Plugin(installed.plugin.name.to_string());
    let list = uses(snapshot, installed);
    let mut problems = Vec::new();
    let mut chosen: HashMap<&HookId, Chosen> = HashMap::new();
    for (position, (id, entry)) in named(snapshot, &owner, &list, &mut problems).into_iter().enumerate() {
        let Some((id, registered)) = snapshot.hooks.get_key_value(id) else { continue };
        // A hook's parameters come from the scopes in which it runs; here it runs without required ones.
        let with = parameters(registered, &owner, entry).unwrap_or_default();
        let chosen_one = Chosen::new(snapshot, registered, None, position, with);
        chosen.insert(id, chosen_one);
    }
    let plans = plan_kinds(snapshot, &chosen, Part::Lifecycle, &mut problems);
    ConfigError::unless_empty(problems)?;
    Ok(HookSet::new(plans, set_parts(snapshot, "", owner, &chosen, Vec::new())))
}

fn set_parts(
    snapshot: &Snapshot,
    agent: &str,
    owner: ListOwner,
    chosen: &HashMap<&HookId, Chosen>,
    findings: Vec<Finding>,
) -> SetParts {
    SetParts {
        app: ListOwner::App(snapshot.app.name.clone()),
        agent: agent.to_owned(),
        owner,
        names: chosen.keys().map(|id| (*id).clone()).collect(),
        findings,
        registered: snapshot.hooks.len(),
        revision: snapshot.revision,
        observers: Arc::clone(&snapshot.observers),
        depth_limit: snapshot.depth_limit.0,
    }
}

fn uses(snapshot: &Snapshot, installed: &Installed) -> Vec<HookUse> {
    snapshot.members(installed).iter().map(|id| HookUse::id(id.as_str())).collect()
}

impl Chosen {
    fn new(
        snapshot: &Snapshot,
        registered: &Registered,
        place: Option<String>,
        position: usize,
        with: Option<Bound>,
    ) -> Self {
        let (hook, overridden) = snapshot.overridden(&registered.hook);
        let plugin = hook.plugin.clone();
        let disabled =
            if registered.enabled { snapshot.disabled_by(&hook).map(Disabled::Layer) } else { Some(Disabled::App) };
        let plugin = plugin.filter(|_| hook.asks_context);
        let own = (with.is_some() || plugin.is_some()).then(|| Arc::new(PerHook { with, plugin }));
        Self { hook, overridden, disabled, position, place, own, given: None }
    }

    /// Applies the state of the hook's plugin: if the plugin failed to start, its guards fail wherever they would run,
    /// and its other hooks are disabled. A guard must not be open because its setup failed.
    fn unless_started(mut self, snapshot: &Snapshot) -> Self {
        let closed = self.hook.plugin.as_ref().and_then(|plugin| Some((plugin, snapshot.closed(plugin)?)));
        let Some((plugin, reason)) = closed else { return self };
        let reason = reason.into();
        let guards = self.hook.bindings.iter().filter(|binding| {
            !is_lifecycle(&self.hook, binding) && binding.policy(&self.hook.options) != OnFailure::Continue
        });
        let bindings: Vec<_> =
            guards.filter_map(|binding| Some((Engine::of_kind(binding.kind)?.failing)(binding, &reason))).collect();
        if bindings.is_empty() {
            self.disabled = Some(Disabled::Plugin(Arc::clone(plugin)));
        } else {
            self.hook = Arc::new(Hook { bindings, ..Hook::clone(&self.hook) });
        }
        self
    }
}

/// A finding for a scope in which no hook runs.
fn no_hooks(owner: &ListOwner, declared: bool) -> Finding {
    if declared {
        let text = format!("the list of {owner} is empty, and so is the app's, so no hook runs");
        return Finding::new(FindingKind::EmptyScope, owner, text);
    }
    let text = format!(
        "neither {owner} nor the app names a hook, so no hook runs; add a list, such as `\"hooks\": [\"an_id\"]`"
    );
    Finding::new(FindingKind::UndeclaredScope, owner, text)
}

/// A finding for a hook that is in the set but does not run. Hooks of a failed plugin are reported with the plugin.
fn disabled(chosen: &Chosen, owner: &ListOwner) -> Option<Finding> {
    let by = match chosen.disabled.as_ref()? {
        Disabled::App => String::new(),
        Disabled::Layer(layer) => format!(" by `{layer}`"),
        Disabled::Plugin(_) => return None,
    };
    let (id, origin) = (&chosen.hook.id, chosen.hook.origin);
    let text = format!("{owner} or the app names the hook `{id}` ({origin}), which is disabled{by} and skipped");
    Some(Finding::new(FindingKind::DisabledHook, id, text))
}

fn failed_plugins<'a>(snapshot: &'a Snapshot, agent: &dyn Definition) -> impl Iterator<Item = Finding> + use<'a> {
    let name = agent.name().to_owned();
    snapshot.plugins.iter().filter(move |installed| installed.is_for(&name)).filter_map(|installed| {
        let PluginState::Failed(reason) = &installed.state else { return None };
        let plugin = &installed.plugin.name;
        let text = format!("the guards of the plugin `{plugin}` fail closed, and its other hooks do not run: {reason}");
        Some(Finding::new(FindingKind::PluginFailed, plugin, text))
    })
}

/// Finds the agent's gates that the prompt's list omits, and other hooks that fail closed or are locked.
fn dropped_guards(
    snapshot: &Snapshot,
    chosen: &HashMap<&HookId, Chosen>,
    agent_list: &[(&HookId, &HookUse)],
    agent: &ListOwner,
    prompt: &ListOwner,
) -> Vec<Finding> {
    let dropped = agent_list.iter().filter(|(id, _)| !chosen.contains_key(id));
    dropped
        .filter_map(|(id, _)| {
            let hook = &snapshot.hooks.get(*id)?.hook;
            let (id, origin) = (&hook.id, hook.origin);
            if hook.bindings.iter().any(|binding| binding.kind.semantics == Semantics::Gate) {
                let text = format!(
                    "{prompt} omits the gate `{id}` ({origin}) of {agent}, because its list replaces the agent's; add the gate to the prompt's list or to the app's"
                );
                return Some(Finding::new(FindingKind::DroppedGate, id, text));
            }
            let why = guards_by(hook)?;
            let text = format!(
                "{prompt} omits the hook `{id}` ({origin}) of {agent}, which is `{why}`, because its list replaces the agent's; add the hook to the prompt's list or to the app's"
            );
            Some(Finding::new(FindingKind::DroppedGuard, id, text))
        })
        .collect()
}

/// The option that marks a hook as one that must not be omitted silently.
fn guards_by(hook: &Hook) -> Option<String> {
    let fails_closed = |binding: &Binding| binding.policy(&hook.options) != OnFailure::Continue;
    match hook.options.on_failure {
        _ if hook.locked => Some("locked".to_owned()),
        Some(policy) if hook.bindings.iter().any(fails_closed) => Some(format!("on_failure = {}", policy.as_str())),
        _ => None,
    }
}
