//! Builds a plan for each kind of the selected hooks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::Snapshot;
use super::constraints::check_constraints;
use super::set_builder::{Part, SetBuilder};
use crate::detached::DetachedRuns;
use crate::diagnostics::{Finding, Problem, ProblemKind, at};
use crate::engine::Engine;
use crate::id::HookId;
use crate::options::RunMode;
use crate::plan::{PlanEntry, PlannedHook, Selection, Selections, order};

impl SetBuilder<'_> {
    /// Plans each kind, in the order of their names, and returns what it found. Problems come in the order of the lists.
    pub(super) fn plan_kinds(&mut self) -> (Vec<PlanEntry>, Vec<Finding>) {
        let Self { snapshot, part, ref selections, ref mut problems } = *self;
        let mut by_kind: BTreeMap<&'static str, Vec<PlannedHook<'_>>> = BTreeMap::new();
        let mut disabled: HashMap<&'static str, Vec<HookId>> = HashMap::new();
        for (position, selection) in selections.all.iter().enumerate() {
            let hook = &selection.hook;
            for binding in hook.bindings.iter().filter(|binding| part.has(hook, binding)) {
                let kind = binding.kind.name;
                if selection.disabled.is_some() {
                    disabled.entry(kind).or_default().push(hook.id.clone());
                } else {
                    let planned = PlannedHook { selection, binding, position, stage: 0 };
                    by_kind.entry(kind).or_default().push(planned);
                }
            }
            if !matches!(part, Part::Lifecycle | Part::Alone) {
                problems.extend(check_constraints(snapshot, hook));
                if selection.disabled.is_none() {
                    problems.extend(missing_requirements(snapshot, selection, selections));
                    problems.extend(no_background(snapshot, selection));
                }
            }
        }
        problems.extend(by_kind.iter().filter_map(|(kind, hooks)| kind_name_twice(kind, hooks)));
        let (tasks, observers) = (Arc::clone(&snapshot.tasks), Arc::clone(&snapshot.observers));
        let runs = DetachedRuns { tasks, observers, sink: snapshot.sink.clone() };
        let mut findings = Vec::new();
        let plan = |(name, mut hooks): (&'static str, Vec<PlannedHook<'_>>)| match order(name, &mut hooks) {
            Ok(of_kind) => {
                findings.extend(of_kind);
                let binding = hooks.first()?.binding;
                let (kind, plan) = (binding.kind, (Engine::of_binding(binding)?.build)(&hooks, &runs));
                let disabled = disabled.remove(name).unwrap_or_default();
                Some(PlanEntry::new(kind, &hooks, plan, disabled))
            }
            Err(cycles) => {
                problems.extend(cycles);
                None
            }
        };
        let entries = by_kind.into_iter().filter_map(plan).collect();
        (entries, findings)
    }
}

/// Rejects a background hook if the registry has no sink for its jobs, or a worker without a state that they take.
fn no_background(snapshot: &Snapshot, selection: &Selection) -> Vec<Problem> {
    let hook = &selection.hook;
    let problem = |kind, text| Problem::new(kind, &hook.id, format!("{}{hook} {text}", at(selection.place.clone())));
    match &snapshot.sink {
        Some(sink) => {
            let missing =
                sink.worker().into_iter().flat_map(|cx| hook.states(true).filter(move |state| !cx.holds(*state)));
            let text = |state| {
                format!(
                    "takes `&State<{state}>`, which the worker does not hold; start it with `Worker::new().context(…)`"
                )
            };
            missing.map(|state| problem(ProblemKind::MissingState, text(state))).collect()
        }
        None if hook.bindings.iter().any(|binding| binding.options.run == RunMode::Background) => {
            let text = "has `run = background`, but this registry has no queue for its jobs; call `Worker::new().start(&registry)` or `registry.set_background(…)` before you build the set";
            vec![problem(ProblemKind::NoBackground, text.to_owned())]
        }
        None => Vec::new(),
    }
}

/// Records identify a kind only by its name, so it must be unique.
fn kind_name_twice(kind: &'static str, candidates: &[PlannedHook<'_>]) -> Option<Problem> {
    let first = candidates.first()?;
    let event = (first.binding.kind.event)();
    let second = candidates.iter().find(|other| (other.binding.kind.event)() != event)?;
    let ((first, first_origin), (second, second_origin)) =
        ((first.hook(), first.selection.hook.origin), (second.hook(), second.selection.hook.origin));
    let text = format!(
        "two kinds are named `{kind}`: the hooks `{first}` ({first_origin}) and `{second}` ({second_origin}) are at different types with that name; rename one in its `#[hook_kind(name = …)]`"
    );
    Some(Problem::new(ProblemKind::KindNameTwice, kind, text))
}

fn missing_requirements<'a>(
    snapshot: &'a Snapshot,
    requiring: &'a Selection,
    selections: &'a Selections,
) -> impl Iterator<Item = Problem> + 'a {
    let hook = &requiring.hook;
    let required: BTreeSet<_> = hook.bindings.iter().flat_map(|binding| &*binding.options.requires).collect();
    required.into_iter().filter_map(move |required| {
        // Unknown ids were reported already.
        snapshot.hooks.get(&**required)?;
        let present = selections.get(required);
        present.is_none_or(|selection| selection.disabled.is_some()).then(|| {
            let (at, id) = (at(requiring.place.clone()), &hook.id);
            let mend = match present {
                Some(_) => format!("which is disabled; enable it, or disable `{id}` too"),
                None => format!("but no list that applies contains it; add it to the list that contains `{id}`"),
            };
            let text = format!("{at}{hook} requires `{required}`, {mend}");
            Problem::new(ProblemKind::MissingRequirement, id, text)
        })
    })
}
