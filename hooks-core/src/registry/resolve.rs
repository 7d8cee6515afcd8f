//! From lists of names to a set.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::neighbours::check_neighbours;
use super::{Registered, Snapshot};
use crate::audit::Finding;
use crate::config::{ConfigError, ListOwner, Problem, nearest};
use crate::hook::{HookId, RunMode, StepParts};
use crate::kind::Semantics;
use crate::plan::{Candidate, HookSet, KindPlan, order};
use crate::scope::{Definition, HookName, HookUse};
use crate::with::Bound;

/// A hook that a list in force names.
struct Chosen<'a> {
    registered: &'a Registered,
    entry: &'a HookUse,
    position: usize,
    /// What the parameters in its entry come to.
    with: Option<Bound>,
}

pub(super) fn resolve(
    snapshot: &Snapshot,
    agent: &dyn Definition,
    prompt: Option<&dyn Definition>,
) -> Result<HookSet, ConfigError> {
    let mut problems = Vec::new();
    let app_owner = ListOwner::App(snapshot.app.name.clone());
    let agent_owner = ListOwner::Agent(agent.name().to_owned());
    let app_list = named(snapshot, &app_owner, &snapshot.app.hooks, &mut problems);
    // The prompt's list replaces the agent's; an empty list is a list.
    let replacing = prompt.and_then(|prompt| prompt.hooks().map(|hooks| (prompt, hooks)));
    let (owner, list) = match replacing {
        Some((prompt, hooks)) => (ListOwner::Prompt(prompt.name().to_owned()), hooks),
        None => (agent_owner.clone(), agent.hooks().unwrap_or_default()),
    };
    let scope_list = named(snapshot, &owner, list, &mut problems);
    refuse_outside_turn(snapshot, &owner, &scope_list, &app_list, &mut problems);

    let mut chosen: HashMap<&HookId, Chosen<'_>> = HashMap::new();
    let entries = app_list.iter().map(|entry| (&app_owner, entry));
    for (owner, (id, entry)) in entries.chain(scope_list.iter().map(|entry| (&owner, entry))) {
        let position = chosen.len();
        let Some((id, registered)) = snapshot.hooks.get_key_value(*id) else { continue };
        if chosen.contains_key(id) {
            problems.extend(parameters_of_app(registered, owner, entry));
            continue;
        }
        let with = parameters(registered, owner, entry).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        chosen.insert(id, Chosen { registered, entry, position, with });
    }
    let plans = plan_kinds(snapshot, &chosen, &mut problems);
    ConfigError::unless_empty(problems)?;

    let mut findings: Vec<Finding> = plans.iter().flat_map(|plan| plan.findings.iter().cloned()).collect();
    if replacing.is_some() {
        // What the agent's list names wrongly was told when the agent was used without the prompt.
        let dropped = named(snapshot, &agent_owner, agent.hooks().unwrap_or_default(), &mut Vec::new());
        findings.extend(dropped_gates(snapshot, &chosen, &dropped, &agent_owner, &owner));
    }
    for chosen in in_order(&chosen).into_iter().filter(|chosen| !chosen.registered.enabled) {
        let hook = &chosen.registered.hook;
        findings.push(Finding::DisabledHook { hook: hook.id.clone(), origin: hook.origin, owner: owner.clone() });
    }
    if list.is_empty() && app_list.is_empty() {
        let declared = replacing.is_some() || agent.hooks().is_some();
        let owner = owner.clone();
        findings.push(if declared { Finding::EmptyScope { owner } } else { Finding::UndeclaredScope { owner } });
    }
    let names = chosen.keys().map(|id| (*id).clone()).collect();
    Ok(HookSet::new(app_owner, owner, plans, names, findings, snapshot))
}

/// The ids of a list with the entries that name them; what is wrong goes to `problems`.
fn named<'a>(
    snapshot: &'a Snapshot,
    owner: &ListOwner,
    list: &'a [HookUse],
    problems: &mut Vec<Problem>,
) -> Vec<(&'a HookId, &'a HookUse)> {
    let mut seen: HashMap<&HookId, &HookUse> = HashMap::new();
    let mut ids = Vec::new();
    for entry in list {
        let id = match &entry.name {
            HookName::Id(id) => id,
            HookName::Function(function) => match snapshot.id_of(function) {
                Ok(id) => id,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
        };
        let Some(registered) = snapshot.hooks.get(id) else {
            problems.push(Problem::UnknownHook {
                id: id.clone(),
                owner: owner.clone(),
                place: entry.position(),
                nearest: suggestions(snapshot, id, problems.len()),
            });
            continue;
        };
        if entry.with.is_some() && registered.hook.with.is_none() {
            problems.push(Problem::NoParameters {
                id: id.clone(),
                owner: owner.clone(),
                place: entry.position(),
                origin: registered.hook.origin,
            });
        }
        if let Some(first) = seen.insert(id, entry) {
            problems.push(Problem::NamedTwice {
                id: id.clone(),
                owner: owner.clone(),
                first: first.position(),
                second: entry.position(),
            });
            continue;
        }
        ids.push((id, entry));
    }
    ids
}

/// The parameters of one entry, as its hook reads them.
fn parameters(registered: &Registered, owner: &ListOwner, entry: &HookUse) -> Result<Option<Bound>, Problem> {
    let hook = &registered.hook;
    let bound = hook.with.map(|spec| spec.parse(entry.with.as_ref())).transpose();
    bound.map_err(|cause| Problem::BadParameters {
        id: hook.id.clone(),
        owner: owner.clone(),
        place: entry.position(),
        given: entry.with.is_some(),
        cause,
        origin: hook.origin,
    })
}

/// What a scope says of a hook that the app's list names would be silently without effect.
fn parameters_of_app(registered: &Registered, owner: &ListOwner, entry: &HookUse) -> Option<Problem> {
    let hook = &registered.hook;
    (entry.with.is_some() && hook.with.is_some()).then(|| Problem::ParametersOfApp {
        id: hook.id.clone(),
        owner: owner.clone(),
        place: entry.position(),
        origin: hook.origin,
    })
}

/// The ids nearest to one that is not there: for the first few problems only, since every hook is looked at for each.
fn suggestions(snapshot: &Snapshot, id: &HookId, problems: usize) -> Vec<HookId> {
    const SUGGESTED: usize = 20;
    if problems < SUGGESTED { nearest(id.as_str(), snapshot.hooks.keys()) } else { Vec::new() }
}

/// A kind outside a turn reads the app's list alone, so a hook of it in another list would be silently dead.
fn refuse_outside_turn(
    snapshot: &Snapshot,
    owner: &ListOwner,
    scope_list: &[(&HookId, &HookUse)],
    app_list: &[(&HookId, &HookUse)],
    problems: &mut Vec<Problem>,
) {
    let of_app: HashSet<&HookId> = app_list.iter().map(|(id, _)| *id).collect();
    for (id, entry) in scope_list.iter().filter(|(id, _)| !of_app.contains(id)) {
        let Some(registered) = snapshot.hooks.get(*id) else { continue };
        let outside = registered.hook.bindings.iter().map(|binding| binding.kind).find(|kind| kind.outside_turn);
        if let Some(kind) = outside {
            problems.push(Problem::OutsideTurn {
                id: (*id).clone(),
                kind: kind.name,
                owner: owner.clone(),
                place: entry.position(),
                origin: registered.hook.origin,
            });
        }
    }
}

/// The chosen by position: what is told of them comes in the order of the lists.
fn in_order<'a, 'b>(all: &'b HashMap<&HookId, Chosen<'a>>) -> Vec<&'b Chosen<'a>> {
    let mut in_order: Vec<_> = all.values().collect();
    in_order.sort_by_key(|chosen| chosen.position);
    in_order
}

fn plan_kinds(snapshot: &Snapshot, all: &HashMap<&HookId, Chosen<'_>>, problems: &mut Vec<Problem>) -> Vec<KindPlan> {
    let mut by_kind: BTreeMap<&'static str, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut disabled: HashMap<&'static str, Vec<HookId>> = HashMap::new();
    for chosen in in_order(all) {
        let hook = &chosen.registered.hook;
        problems.extend(check_neighbours(snapshot, hook));
        for binding in &hook.bindings {
            if chosen.registered.enabled {
                let candidate = Candidate {
                    hook,
                    binding,
                    position: chosen.position,
                    with: chosen.with.clone(),
                    given: chosen.entry.with.as_ref(),
                };
                by_kind.entry(binding.kind.name).or_default().push(candidate);
            } else {
                disabled.entry(binding.kind.name).or_default().push(hook.id.clone());
            }
        }
        if chosen.registered.enabled {
            problems.extend(missing_requirements(snapshot, chosen, all));
            problems.extend(no_background(snapshot, chosen));
        }
    }
    let outside = snapshot.outside();
    problems.extend(by_kind.iter().filter_map(|(kind, candidates)| kind_name_twice(kind, candidates)));
    by_kind
        .into_iter()
        .filter_map(|(kind, candidates)| match order::order(kind, &candidates) {
            Ok(ordered) => {
                let parts: Vec<StepParts<'_>> = ordered
                    .steps
                    .iter()
                    .map(|step| StepParts {
                        hook: candidates[step.candidate].hook,
                        binding: candidates[step.candidate].binding,
                        stage: step.stage,
                        with: candidates[step.candidate].with.clone(),
                        given: candidates[step.candidate].given,
                        outside: &outside,
                    })
                    .collect();
                let skipped = disabled.remove(kind).unwrap_or_default();
                KindPlan::new(&parts, skipped, ordered.findings)
            }
            Err(cycles) => {
                problems.extend(cycles);
                None
            }
        })
        .collect()
}

/// A background hook whose jobs would go nowhere.
fn no_background(snapshot: &Snapshot, chosen: &Chosen<'_>) -> Option<Problem> {
    let hook = &chosen.registered.hook;
    (hook.options.run == RunMode::Background && snapshot.sink.is_none()).then(|| Problem::NoBackground {
        id: hook.id.clone(),
        place: chosen.entry.position(),
        origin: hook.origin,
    })
}

/// The name of a kind is all that a record has of it, so it stands for one type.
fn kind_name_twice(kind: &'static str, candidates: &[Candidate<'_>]) -> Option<Problem> {
    let first = candidates.first()?;
    let event = (first.binding.kind.event)();
    let second = candidates.iter().find(|other| (other.binding.kind.event)() != event)?;
    Some(Problem::KindNameTwice {
        kind,
        first: first.hook.id.clone(),
        first_origin: first.hook.origin,
        second: second.hook.id.clone(),
        second_origin: second.hook.origin,
    })
}

fn missing_requirements<'a>(
    snapshot: &'a Snapshot,
    requiring: &'a Chosen<'_>,
    all: &'a HashMap<&HookId, Chosen<'_>>,
) -> impl Iterator<Item = Problem> + 'a {
    let hook = &requiring.registered.hook;
    hook.options.requires.iter().filter_map(|required| {
        // An id that no hook has was told already.
        let (id, _) = snapshot.hooks.get_key_value(&**required)?;
        let present = all.get(id);
        (!present.is_some_and(|chosen| chosen.registered.enabled)).then(|| Problem::MissingRequirement {
            id: hook.id.clone(),
            missing: required.to_string(),
            disabled: present.is_some(),
            place: requiring.entry.position(),
            origin: hook.origin,
        })
    })
}

/// The agent's gates that the prompt's list leaves out.
fn dropped_gates(
    snapshot: &Snapshot,
    chosen: &HashMap<&HookId, Chosen<'_>>,
    agent_list: &[(&HookId, &HookUse)],
    agent: &ListOwner,
    prompt: &ListOwner,
) -> Vec<Finding> {
    let dropped = agent_list.iter().filter(|(id, _)| !chosen.contains_key(id));
    dropped
        .filter_map(|(id, _)| snapshot.hooks.get(*id))
        .filter(|registered| registered.hook.bindings.iter().any(|b| b.kind.semantics == Semantics::Gate))
        .map(|registered| Finding::DroppedGate {
            hook: registered.hook.id.clone(),
            origin: registered.hook.origin,
            agent: agent.clone(),
            prompt: prompt.clone(),
        })
        .collect()
}
