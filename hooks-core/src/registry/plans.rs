//! From hooks that are chosen to a plan for each kind.

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

/// Which of a hook's kinds a set is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All but the start and the stop of plugins.
    Scope,
    /// The start and the stop of one plugin.
    Lifecycle,
    /// As the first, of a list whose requirements may be in force elsewhere.
    Alone,
    /// Both, for a hook that is tried alone.
    All,
}

/// The chosen by position: what is told of them comes in the order of the lists.
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

/// A background hook whose jobs would go nowhere.
fn no_background(snapshot: &Snapshot, chosen: &Chosen) -> Option<Problem> {
    let hook = &chosen.hook;
    (hook.options.run == RunMode::Background && snapshot.sink.is_none()).then(|| {
        let (at, id, origin) = (at(chosen.place.clone()), &hook.id, hook.origin);
        let text = format!(
            "{at}the hook `{id}` ({origin}) says `run = background`, and this registry has nowhere to put its jobs; call `Worker::new().start(&registry)` or `registry.set_background(…)` before the set is made"
        );
        Problem::new(ProblemKind::NoBackground, id, text)
    })
}

/// The name of a kind is all that a record has of it, so it stands for one type.
fn kind_name_twice(kind: &'static str, candidates: &[Candidate<'_>]) -> Option<Problem> {
    let first = candidates.first()?;
    let event = (first.binding.kind.event)();
    let second = candidates.iter().find(|other| (other.binding.kind.event)() != event)?;
    let ((first, first_origin), (second, second_origin)) =
        ((&first.hook.id, first.hook.origin), (&second.hook.id, second.hook.origin));
    let text = format!(
        "two kinds are called `{kind}`: the hooks `{first}` ({first_origin}) and `{second}` ({second_origin}) are at different types of that name; rename one in its `#[hook_kind(name = …)]`"
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
        // An id that no hook has was told already.
        let (id, _) = snapshot.hooks.get_key_value(&**required)?;
        let present = all.get(id);
        present.is_none_or(|chosen| chosen.disabled.is_some()).then(|| {
            let (at, id, origin) = (at(requiring.place.clone()), &hook.id, hook.origin);
            let mend = match present {
                Some(_) => format!("is disabled; enable it, or disable `{id}` too"),
                None => format!("no list in force names; name it beside `{id}`"),
            };
            let text = format!("{at}the hook `{id}` ({origin}) requires `{required}`, which {mend}");
            Problem::new(ProblemKind::MissingRequirement, id, text)
        })
    })
}
