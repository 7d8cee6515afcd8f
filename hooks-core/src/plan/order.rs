//! The order of one kind's hooks: the lexicographically smallest topological order by priority, class, position and id.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use super::constraints::waits_for_detached;
use super::cycles::cycles;
use crate::context::PerHook;
use crate::diagnostics::{Finding, FindingKind, Problem, ProblemKind};
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::verdict::Semantics;

/// A hook to be ordered at one kind.
pub(crate) struct Candidate<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) binding: &'a Binding,
    pub(crate) position: usize,
    /// The part of the context that is only for this hook.
    pub(crate) own: Option<Arc<PerHook>>,
    /// What the operator's overrides changed.
    pub(crate) overridden: Option<&'a str>,
    /// The parameters that the list passes, as JSON.
    pub(crate) given: Option<&'a serde_json::Value>,
}

/// One position of the order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OrderedStep {
    /// The index among the candidates.
    pub(crate) candidate: usize,
    /// The number of its stage.
    pub(crate) stage: usize,
}

#[derive(Debug)]
pub(crate) struct Ordered {
    pub(crate) steps: Vec<OrderedStep>,
    pub(crate) findings: Vec<Finding>,
}

/// The ordering constraints, as indices of candidates.
struct Graph {
    successors: Vec<Vec<usize>>,
    waits_for: Vec<usize>,
}

/// Orders the candidates and splits the order into stages.
///
/// # Errors
/// Every cycle, and every hook that would wait for a detached or background one.
pub(crate) fn order(kind: &'static str, candidates: &[Candidate<'_>]) -> Result<Ordered, Vec<Problem>> {
    let problems = waits_for_detached(kind, candidates);
    if !problems.is_empty() {
        return Err(problems);
    }
    let graph = graph(candidates);
    let mut waits_for = graph.waits_for.clone();
    let key = |index: usize| Reverse((Key::of(&candidates[index]), index));
    let mut ready: BinaryHeap<_> = (0..candidates.len()).filter(|&index| waits_for[index] == 0).map(key).collect();
    let mut order = Vec::with_capacity(candidates.len());
    while let Some(Reverse((_, index))) = ready.pop() {
        order.push(index);
        for &next in &graph.successors[index] {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                ready.push(key(next));
            }
        }
    }
    if order.len() < candidates.len() {
        let stuck: Vec<usize> = (0..candidates.len()).filter(|&index| waits_for[index] > 0).collect();
        return Err(spell_cycles(kind, candidates, &graph, &stuck));
    }
    let findings = rewrites_after_allow(kind, candidates, &graph, &order);
    Ok(Ordered { steps: stages(candidates, &graph, &order), findings })
}

/// The sort key among hooks that may run next. It never depends on link order or order of completion.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    priority: i32,
    class: u8,
    position: usize,
    id: &'a HookId,
}

impl<'a> Key<'a> {
    fn of(candidate: &Candidate<'a>) -> Self {
        let form = candidate.binding.form;
        // Guards judge what will run, so on gates they come after the hooks that rewrite it.
        let class = match (candidate.binding.kind.semantics, form.writes, candidate.binding.decides) {
            (Semantics::Gate, true, true) => 1,
            (Semantics::Gate, false, _) => 2,
            _ => 0,
        };
        Self { priority: candidate.hook.options.priority, class, position: candidate.position, id: &candidate.hook.id }
    }
}

fn graph(candidates: &[Candidate<'_>]) -> Graph {
    let index: HashMap<&str, usize> =
        candidates.iter().enumerate().map(|(i, candidate)| (candidate.hook.id.as_str(), i)).collect();
    let mut graph = Graph { successors: vec![Vec::new(); candidates.len()], waits_for: vec![0; candidates.len()] };
    for (i, candidate) in candidates.iter().enumerate() {
        let options = &candidate.hook.options;
        for earlier in options.after.iter().chain(options.requires.iter()).filter_map(|id| index.get(&**id)) {
            graph.add(*earlier, i);
        }
        for later in options.before.iter().filter_map(|id| index.get(&**id)) {
            graph.add(i, *later);
        }
    }
    graph
}

impl Graph {
    fn add(&mut self, from: usize, to: usize) {
        if !self.successors[from].contains(&to) {
            self.successors[from].push(to);
            self.waits_for[to] += 1;
        }
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.successors.len()];
        let mut next = vec![from];
        while let Some(index) = next.pop() {
            if index == to {
                return true;
            }
            if !std::mem::replace(&mut seen[index], true) {
                next.extend(&self.successors[index]);
            }
        }
        false
    }
}

/// Splits the order into stages. Adjacent readers with the same priority and no edge between them form a stage; every
/// writer is a stage of its own.
fn stages(candidates: &[Candidate<'_>], graph: &Graph, order: &[usize]) -> Vec<OrderedStep> {
    let mut steps: Vec<OrderedStep> = Vec::with_capacity(order.len());
    let mut stage = 0;
    // The last hook, which represents its stage; and for each hook, the last stage that it must follow.
    let mut last: Option<&Candidate<'_>> = None;
    let mut comes_after: Vec<Option<usize>> = vec![None; candidates.len()];
    for &index in order {
        let this = &candidates[index];
        let fits = comes_after[index] != Some(stage)
            && last.is_none_or(|last| {
                let reads = !this.binding.form.writes && !last.binding.form.writes;
                reads && last.hook.options.priority == this.hook.options.priority
            });
        if !fits {
            stage += 1;
        }
        last = Some(this);
        graph.successors[index].iter().for_each(|&later| comes_after[later] = Some(stage));
        steps.push(OrderedStep { candidate: index, stage });
    }
    steps
}

/// Finds gates that may allow what a later hook changes, unless that order was requested.
fn rewrites_after_allow(
    kind: &'static str,
    candidates: &[Candidate<'_>],
    graph: &Graph,
    order: &[usize],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_gate = candidates.first().is_some_and(|candidate| candidate.binding.kind.semantics == Semantics::Gate);
    for (place, &gate) in order.iter().enumerate().filter(|_| is_gate) {
        for &writer in &order[place + 1..] {
            let risky = candidates[gate].binding.decides && candidates[writer].binding.form.writes;
            if risky && !graph.reaches(gate, writer) {
                let (gate, writer) = (&candidates[gate].hook.id, &candidates[writer].hook.id);
                let text = format!(
                    "at `{kind}` the hook `{gate}` may allow an input that `{writer}` changes afterwards, which cancels the allow; let `{gate}` run later, or write `after = [\"{gate}\"]` on `{writer}` if this is intended"
                );
                findings.push(Finding::new(FindingKind::AllowBeforeRewrite, gate, text));
            }
        }
    }
    findings
}

/// Describes every cycle among the `stuck` hooks once, starting at its first hook.
fn spell_cycles(kind: &'static str, candidates: &[Candidate<'_>], graph: &Graph, stuck: &[usize]) -> Vec<Problem> {
    let id = |index: usize| &candidates[index].hook.id;
    let spelt = cycles(&graph.successors, stuck).into_iter().filter_map(|cycle| {
        let first = id(*cycle.first()?);
        let steps = cycle.iter().map(|index| format!("`{}` ({})", id(*index), candidates[*index].hook.origin));
        let steps = steps.collect::<Vec<_>>().join(" -> ");
        let text = format!(
            "at `{kind}` these hooks wait for each other: {steps} -> `{first}`; remove one `after`, `before` or `requires`"
        );
        Some(Problem::new(ProblemKind::Cycle, first, text))
    });
    spelt.collect()
}
