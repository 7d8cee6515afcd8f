//! Builds a plan for each kind from the chosen hooks.

use std::collections::{BTreeMap, HashMap};

use super::Snapshot;
use super::constraints::check_constraints;
use super::plugins::is_lifecycle;
use super::resolve::Chosen;
use crate::diagnostics::{Problem, ProblemKind, at};
use crate::engine::Engine;
use crate::id::HookId;
use crate::options::RunMode;
use crate::plan::StepParts;
use crate::plan::{Candidate, Disabled, KindPlan, order};

/// Which bindings of the hooks a set includes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All except the start and stop of plugins.
    Scope,
    /// Only the start and stop of one plugin.
    Lifecycle,
    /// Like `Scope`, for a list whose requirements may be in force elsewhere.
    Alone,
    /// All of them, for a hook in a trial.
    All,
}

/// The chosen hooks in the order of the lists, so that problems come in that order.
pub(super) fn in_order<'a>(all: &'a HashMap<&HookId, Chosen>) -> Vec<&'a Chosen> {
    let mut in_order: Vec<_> = all.values().collect();
    in_order.sort_by_key(|chosen| chosen.position);
    in_order
}

pub(super) fn plan_kinds(
    snapshot: &Snapshot,
    all: &HashMap<&HookId, Chosen>,
    part: Part,
    problems: &mut Vec<Problem>,
) -> Vec<KindPlan> {
    let mut by_kind: BTreeMap<&'static str, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut disabled: HashMap<&'static str, Vec<(HookId, Disabled)>> = HashMap::new();
    for chosen in in_order(all) {
        let hook = &chosen.hook;
        let of_part = |binding: &&_| part == Part::All || is_lifecycle(hook, binding) == (part == Part::Lifecycle);
        for binding in hook.bindings.iter().filter(of_part) {
            match &chosen.disabled {
                None => by_kind.entry(binding.kind.name).or_default().push(Candidate {
                    hook,
                    binding,
                    position: chosen.position,
                    own: chosen.own.clone(),
                    overridden: chosen.overridden.as_deref(),
                    given: chosen.given.as_ref(),
                }),
                Some(off) => disabled.entry(binding.kind.name).or_default().push((hook.id.clone(), off.clone())),
            }
        }
        if !matches!(part, Part::Lifecycle | Part::Alone) {
            problems.extend(check_constraints(snapshot, hook));
            if chosen.disabled.is_none() {
                problems.extend(missing_requirements(snapshot, chosen, all));
                problems.extend(no_background(snapshot, chosen));
            }
        }
    }
    let runs = snapshot.detached_runs();
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
                        own: candidates[step.candidate].own.clone(),
                        overridden: candidates[step.candidate].overridden,
                        given: candidates[step.candidate].given,
                        observed: !snapshot.observers.is_empty(),
                    })
                    .collect();
                let skipped = disabled.remove(kind).unwrap_or_default();
                let engine = Engine::of_kind(parts.first()?.binding.kind)?;
                KindPlan::new(&parts, (engine.build)(&parts, &runs), skipped, ordered.findings)
            }
            Err(cycles) => {
                problems.extend(cycles);
                None
            }
        })
        .collect()
}

/// Rejects a background hook if the registry has no sink for its jobs.
fn no_background(snapshot: &Snapshot, chosen: &Chosen) -> Option<Problem> {
    let hook = &chosen.hook;
    (hook.options.run == RunMode::Background && snapshot.sink.is_none()).then(|| {
        let (at, id, origin) = (at(chosen.place.clone()), &hook.id, hook.origin);
        let text = format!(
            "{at}the hook `{id}` ({origin}) has `run = background`, but this registry has no queue for its jobs; call `Worker::new().start(&registry)` or `registry.set_background(…)` before you build the set"
        );
        Problem::new(ProblemKind::NoBackground, id, text)
    })
}

/// Records identify a kind only by its name, so it must be unique.
fn kind_name_twice(kind: &'static str, candidates: &[Candidate<'_>]) -> Option<Problem> {
    let first = candidates.first()?;
    let event = (first.binding.kind.event)();
    let second = candidates.iter().find(|other| (other.binding.kind.event)() != event)?;
    let ((first, first_origin), (second, second_origin)) =
        ((&first.hook.id, first.hook.origin), (&second.hook.id, second.hook.origin));
    let text = format!(
        "two kinds are named `{kind}`: the hooks `{first}` ({first_origin}) and `{second}` ({second_origin}) are at different types with that name; rename one in its `#[hook_kind(name = …)]`"
    );
    Some(Problem::new(ProblemKind::KindNameTwice, kind, text))
}

fn missing_requirements<'a>(
    snapshot: &'a Snapshot,
    requiring: &'a Chosen,
    all: &'a HashMap<&HookId, Chosen>,
) -> impl Iterator<Item = Problem> + 'a {
    let hook = &requiring.hook;
    hook.options.requires.iter().filter_map(|required| {
        // Unknown ids were reported already.
        let (id, _) = snapshot.hooks.get_key_value(&**required)?;
        let present = all.get(id);
        present.is_none_or(|chosen| chosen.disabled.is_some()).then(|| {
            let (at, id, origin) = (at(requiring.place.clone()), &hook.id, hook.origin);
            let mend = match present {
                Some(_) => format!("which is disabled; enable it, or disable `{id}` too"),
                None => format!("but no list that applies contains it; add it to the list that contains `{id}`"),
            };
            let text = format!("{at}the hook `{id}` ({origin}) requires `{required}`, {mend}");
            Problem::new(ProblemKind::MissingRequirement, id, text)
        })
    })
}
