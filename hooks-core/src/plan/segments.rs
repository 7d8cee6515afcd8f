//! The parts of a plan that are run in one way.

use super::{Segment, Step, Way};
use crate::hook::{Handler, Lend, Own, Read, ReadAsync};
use crate::kind::HookKind;

/// Cuts the steps into segments: a stage with readers that may wait is one, and of the others as many neighbours as are
/// run in the same way, whatever stage they are in.
pub(super) fn segments<K: HookKind>(steps: &[Step<K>]) -> Vec<Segment<K>> {
    let mut segments: Vec<Segment<K>> = Vec::new();
    let mut start = 0;
    for stage in steps.chunk_by(|a, b| a.stage == b.stage) {
        if stage.iter().any(|step| matches!(step.handler, Handler::ReadAsync(_))) {
            let end = start + stage.len();
            let lane = stage.iter().map(|step| match &step.handler {
                Handler::ReadAsync(ReadAsync::Static(hook)) if step.filters.is_empty() => Some(*hook),
                _ => None,
            });
            segments.push(Segment { steps: start..end, way: Way::Together(lane.collect()) });
            start = end;
            continue;
        }
        for step in stage {
            let joined = segments.last_mut().is_some_and(|last| last.join(step));
            if !joined {
                segments.push(Segment { steps: start..start + 1, way: way(step) });
            }
            start += 1;
        }
    }
    segments
}

fn way<K: HookKind>(step: &Step<K>) -> Way<K> {
    match &step.handler {
        _ if !step.filters.is_empty() => Way::OneByOne,
        Handler::Read(Read::Static(hook)) => Way::ReadLane(vec![*hook]),
        Handler::Lend(Lend::Static(hook)) => Way::LendLane(vec![*hook]),
        Handler::Own(Own::Static(hook)) => Way::OwnLane(vec![*hook]),
        _ => Way::OneByOne,
    }
}

impl<K: HookKind> Segment<K> {
    /// Takes the step in, where it is run in the same way.
    fn join(&mut self, step: &Step<K>) -> bool {
        let joined = match (&mut self.way, way(step)) {
            (Way::ReadLane(lane), Way::ReadLane(hook)) => append(lane, &hook),
            (Way::LendLane(lane), Way::LendLane(hook)) => append(lane, &hook),
            (Way::OwnLane(lane), Way::OwnLane(hook)) => append(lane, &hook),
            (Way::OneByOne, Way::OneByOne) => true,
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
