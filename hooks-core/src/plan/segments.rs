//! Splits a plan into segments.

use super::{Execution, Segment, Step};
use crate::handler::{Handler, Lend, Own, Read, ReadAsync};
use crate::kind::HookKind;

/// Splits the steps into segments. A stage of readers that may wait is one segment; other adjacent steps that run in
/// the same way are joined across stages.
pub(super) fn segments<K: HookKind>(steps: &[Step<K>]) -> Vec<Segment<K>> {
    let mut segments: Vec<Segment<K>> = Vec::new();
    let mut start = 0;
    for stage in steps.chunk_by(|a, b| a.stage == b.stage) {
        if stage.iter().any(reads_and_waits) {
            let end = start + stage.len();
            let lane = stage.iter().map(|step| match &step.handler {
                Handler::ReadAsync(ReadAsync::Static(hook)) if step.is_plain() => Some(*hook),
                _ => None,
            });
            segments.push(Segment { steps: start..end, execution: Execution::Concurrent(lane.collect()) });
            start = end;
            continue;
        }
        for step in stage {
            let joined = segments.last_mut().is_some_and(|last| last.join(step));
            if !joined {
                segments.push(Segment { steps: start..start + 1, execution: execution(step) });
            }
            start += 1;
        }
    }
    segments
}

/// Whether the hook is a reader that a dispatch may have to wait for.
fn reads_and_waits<K: HookKind>(step: &Step<K>) -> bool {
    match &step.handler {
        Handler::ReadAsync(_) => true,
        Handler::Read(_) => step.blocking().is_some(),
        _ => false,
    }
}

fn execution<K: HookKind>(step: &Step<K>) -> Execution<K> {
    match &step.handler {
        _ if !step.is_plain() => Execution::Sequential,
        Handler::Read(Read::Static(hook)) => Execution::ReadLane(vec![*hook]),
        Handler::Lend(Lend::Static(hook)) => Execution::LendLane(vec![*hook]),
        Handler::Own(Own::Static(hook)) => Execution::OwnLane(vec![*hook]),
        _ => Execution::Sequential,
    }
}

impl<K: HookKind> Segment<K> {
    /// Adds the step to the segment if it runs in the same way.
    fn join(&mut self, step: &Step<K>) -> bool {
        let joined = match (&mut self.execution, execution(step)) {
            (Execution::ReadLane(lane), Execution::ReadLane(hook)) => append(lane, &hook),
            (Execution::LendLane(lane), Execution::LendLane(hook)) => append(lane, &hook),
            (Execution::OwnLane(lane), Execution::OwnLane(hook)) => append(lane, &hook),
            (Execution::Sequential, Execution::Sequential) => true,
            _ => false,
        };
        self.steps.end += usize::from(joined);
        joined
    }
}

fn append<F: Copy>(lane: &mut Vec<F>, hook: &[F]) -> bool {
    lane.extend_from_slice(hook);
    true
}
