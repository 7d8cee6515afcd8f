//! Splits a plan into segments.

use super::{Execution, Segment, Step};
use crate::handler::{Handler, Read, ReadAsync, Replace, Write};
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
        Handler::Write(Write::Static(hook)) => Execution::WriteLane(vec![*hook]),
        Handler::Replace(Replace::Static(hook)) => Execution::ReplaceLane(vec![*hook]),
        _ => Execution::Sequential,
    }
}

impl<K: HookKind> Segment<K> {
    /// Adds the step to the segment if it runs in the same way.
    fn join(&mut self, step: &Step<K>) -> bool {
        match (&mut self.execution, execution(step)) {
            (Execution::ReadLane(lane), Execution::ReadLane(hook)) => lane.extend(hook),
            (Execution::WriteLane(lane), Execution::WriteLane(hook)) => lane.extend(hook),
            (Execution::ReplaceLane(lane), Execution::ReplaceLane(hook)) => lane.extend(hook),
            (Execution::Sequential, Execution::Sequential) => {}
            _ => return false,
        }
        self.steps.end += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::failure::OnFailure;
    use crate::handler::{Effect, ReplaceAsync};
    use crate::id::HookId;
    use crate::kinds::BeforeToolCall;
    use crate::options::Visibility;
    use crate::plan::Extras;
    use crate::plan::filter::{Filter, patterns};

    type Handled = Handler<BeforeToolCall>;

    fn reads() -> Handled {
        Handler::Read(Read::Static(|_, _, _| Ok(().into())))
    }

    fn lends() -> Handled {
        Handler::Write(Write::Static(|_, _, _| Ok(().into())))
    }

    fn owns() -> Handled {
        Handler::Replace(Replace::Static(|_, _, subject| Ok(Effect { subject: Some(subject), verdict: ().into() })))
    }

    fn waits() -> Handled {
        Handler::ReadAsync(ReadAsync::Static(|_, _, _| Box::pin(async { Ok(().into()) })))
    }

    fn step(stage: usize, handler: Handled) -> Step<BeforeToolCall> {
        Step {
            id: HookId::named("hook").unwrap(),
            handler,
            filters: Box::default(),
            timeout: None,
            on_failure: OnFailure::Deny,
            stage,
            visibility: Visibility::Internal,
            revision: 0,
            extras: None,
        }
    }

    fn filtered(stage: usize, handler: Handled) -> Step<BeforeToolCall> {
        let filter = Filter { field: |event: &BeforeToolCall| &event.call.name, patterns: patterns("pay_*") };
        Step { filters: Box::new([filter]), ..step(stage, handler) }
    }

    fn shadow(stage: usize, handler: Handled) -> Step<BeforeToolCall> {
        let none =
            Extras { hook_cx: None, fallback: None, blocking: None, launch: None, shadow: true, skips_replay: false };
        Step { extras: Some(Box::new(none)), ..step(stage, handler) }
    }

    /// The segments in words: how each is run, and how many steps it has.
    fn shown(steps: &[Step<BeforeToolCall>]) -> Vec<(&'static str, usize)> {
        let segments = segments(steps);
        let ends = segments.iter().map(|segment| segment.steps.end);
        assert!(segments.iter().skip(1).map(|segment| segment.steps.start).eq(ends.take(segments.len() - 1)));
        let word = |segment: &Segment<BeforeToolCall>| {
            let (word, in_lane) = match &segment.execution {
                Execution::ReadLane(lane) => ("reads", lane.len()),
                Execution::WriteLane(lane) => ("lends", lane.len()),
                Execution::ReplaceLane(lane) => ("owns", lane.len()),
                Execution::Concurrent(Some(lane)) => ("concurrent lane", lane.len()),
                Execution::Concurrent(None) => ("concurrent", segment.steps.len()),
                Execution::Sequential => ("sequential", segment.steps.len()),
            };
            assert_eq!(in_lane, segment.steps.len(), "{word}");
            (word, in_lane)
        };
        segments.iter().map(word).collect()
    }

    /// Lanes are what makes a dispatch fast, and nothing but time shows if one is missing.
    #[test]
    fn plain_annotated_functions_of_one_form_are_one_lane() {
        let closure = || Handler::Read(Read::Shared(Arc::new(|_, _, _| Ok(().into()))));
        let later = || {
            let own: ReplaceAsync<_, _, _> = ReplaceAsync::Static(|_, _, subject| {
                Box::pin(async { Ok(Effect { subject: Some(subject), verdict: ().into() }) })
            });
            Handler::ReplaceAsync(own)
        };
        let table = [
            (vec![step(0, reads()), step(1, reads()), step(1, reads())], vec![("reads", 3)]),
            (vec![step(0, lends()), step(1, lends())], vec![("lends", 2)]),
            (vec![step(0, owns()), step(1, owns())], vec![("owns", 2)]),
            (vec![step(0, reads()), step(1, lends()), step(2, owns())], vec![("reads", 1), ("lends", 1), ("owns", 1)]),
            (vec![filtered(0, reads()), shadow(0, lends()), step(1, closure())], vec![("sequential", 3)]),
            (
                vec![step(0, reads()), step(1, later()), step(2, reads())],
                vec![("reads", 1), ("sequential", 1), ("reads", 1)],
            ),
            (vec![step(0, lends()), step(1, waits()), step(1, waits())], vec![("lends", 1), ("concurrent lane", 2)]),
            (vec![step(0, waits()), step(1, waits())], vec![("concurrent lane", 1), ("concurrent lane", 1)]),
            (vec![step(0, waits()), filtered(0, waits())], vec![("concurrent", 2)]),
            (vec![step(0, waits()), shadow(0, waits())], vec![("concurrent", 2)]),
            (vec![step(0, reads()), step(0, waits())], vec![("concurrent", 2)]),
        ];
        for (steps, expected) in table {
            assert_eq!(shown(&steps), expected);
        }
    }
}
