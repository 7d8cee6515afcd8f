//! The order of one kind's hooks: the lexicographically smallest topological order by priority, class, position and id.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::PlannedHook;
use super::cycles::cycles;
use crate::diagnostics::{Finding, FindingKind, Problem, ProblemKind};
use crate::id::HookId;
use crate::options::RunMode;
use crate::verdict::Semantics;

/// The ordering constraints, as indices of candidates.
struct Graph {
    successors: Vec<Vec<usize>>,
    waits_for: Vec<usize>,
}

/// Puts the hooks of a kind in order and numbers their stages.
///
/// # Errors
/// Every cycle, and every hook that would wait for a detached or background one.
pub(crate) fn order(kind: &'static str, candidates: &mut Vec<PlannedHook<'_>>) -> Result<Vec<Finding>, Vec<Problem>> {
    let graph = graph(kind, candidates)?;
    let mut waits_for = graph.waits_for.clone();
    let key = |index: usize| Reverse((key(&candidates[index]), index));
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
    *candidates = stages(candidates, &graph, &order);
    Ok(findings)
}

/// The sort key among hooks that may run next: priority, class, position in the lists, and id. It never depends on link
/// order or order of completion.
fn key<'a>(candidate: &PlannedHook<'a>) -> (i32, u8, usize, &'a HookId) {
    let (binding, form) = (candidate.binding, candidate.binding.form);
    // Guards judge what will run, so on gates they come after the hooks that rewrite it.
    let class = match (binding.kind.semantics, form.writes, binding.decides) {
        (Semantics::Gate, true, true) => 1,
        (Semantics::Gate, false, _) => 2,
        _ => 0,
    };
    (binding.options.priority, class, candidate.position, candidate.hook())
}

/// The constraints between the candidates.
///
/// # Errors
/// Every hook that would wait for a detached or background one.
fn graph(kind: &'static str, candidates: &[PlannedHook<'_>]) -> Result<Graph, Vec<Problem>> {
    // A list may name a hook several times.
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, candidate) in candidates.iter().enumerate() {
        index.entry(candidate.selection.id.as_str()).or_default().push(i);
    }
    let mut graph = Graph { successors: vec![Vec::new(); candidates.len()], waits_for: vec![0; candidates.len()] };
    let mut problems = Vec::new();
    for (i, this) in candidates.iter().enumerate() {
        for (option, ids) in this.binding.options.constraints() {
            for &other in ids.iter().filter_map(|id| index.get(&**id)).flatten() {
                let (first, second) = if option == "before" { (i, other) } else { (other, i) };
                graph.add(first, second);
                let (other, first, second) = (&candidates[other], &candidates[first], &candidates[second]);
                let mode = first.binding.options.run;
                if mode != RunMode::Inline {
                    let (id, origin) = (this.hook(), this.selection.hook.origin);
                    let (other, other_origin) = (other.hook(), other.selection.hook.origin);
                    let (waiting, detached) = (second.hook(), first.hook());
                    let text = format!(
                        "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]` ({other_origin}), so `{waiting}` would wait for `{detached}`, which no dispatch waits for (`run = {mode}`); remove the `{option}`, or let `{detached}` run inline"
                    );
                    problems.push(Problem::new(ProblemKind::WaitsForDetached, id, text));
                }
            }
        }
    }
    if problems.is_empty() { Ok(graph) } else { Err(problems) }
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
fn stages<'a>(candidates: &[PlannedHook<'a>], graph: &Graph, order: &[usize]) -> Vec<PlannedHook<'a>> {
    let mut steps: Vec<PlannedHook<'a>> = Vec::with_capacity(order.len());
    let mut stage = 0;
    // The last hook, which represents its stage; and for each hook, the last stage that it must follow.
    let mut last: Option<&PlannedHook<'_>> = None;
    let mut comes_after: Vec<Option<usize>> = vec![None; candidates.len()];
    for &index in order {
        let this = &candidates[index];
        let fits = comes_after[index] != Some(stage)
            && last.is_none_or(|last| {
                let reads = !this.binding.form.writes && !last.binding.form.writes;
                reads && last.binding.options.priority == this.binding.options.priority
            });
        if !fits {
            stage += 1;
        }
        last = Some(this);
        graph.successors[index].iter().for_each(|&later| comes_after[later] = Some(stage));
        steps.push(PlannedHook { stage, ..*this });
    }
    steps
}

/// Finds gates that may allow what a later hook changes, unless that order was requested.
fn rewrites_after_allow(
    kind: &'static str,
    candidates: &[PlannedHook<'_>],
    graph: &Graph,
    order: &[usize],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_gate = candidates.first().is_some_and(|candidate| candidate.binding.kind.semantics == Semantics::Gate);
    for (place, &gate) in order.iter().enumerate().filter(|_| is_gate) {
        for &writer in &order[place + 1..] {
            let risky = candidates[gate].binding.decides && candidates[writer].binding.form.writes;
            if risky && !graph.reaches(gate, writer) {
                let (gate, writer) = (candidates[gate].hook(), candidates[writer].hook());
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
fn spell_cycles(kind: &'static str, candidates: &[PlannedHook<'_>], graph: &Graph, stuck: &[usize]) -> Vec<Problem> {
    let id = |index: usize| candidates[index].hook();
    let spelt = cycles(&graph.successors, stuck).into_iter().filter_map(|cycle| {
        let first = id(*cycle.first()?);
        let steps = cycle.iter().map(|index| format!("`{}` ({})", id(*index), candidates[*index].selection.hook.origin));
        let steps = steps.collect::<Vec<_>>().join(" -> ");
        let text = format!(
            "at `{kind}` these hooks wait for each other: {steps} -> `{first}`; remove one `after`, `before` or `requires`"
        );
        Some(Problem::new(ProblemKind::Cycle, first, text))
    });
    spelt.collect()
}
