//! A running replay of turns: collects lines, and runs each turn at its end.

use std::collections::VecDeque;
use std::sync::Arc;

use hook_sdk::data::MessagePool;
use hooks_agent::TurnError;
use hooks_agent::inputs::TurnInputs;

use super::comparison::{Step, TurnComparison};
use super::runner::TurnRunner;
use super::{Matching, TurnReplay};
use crate::line::{DispatchLine, RecordingLine, TurnLine};
use crate::messages::KnownMessages;
use crate::options::{LineHandler, ReplayState};
use crate::report::{Doubts, ReplayReport};
use crate::source::ReplayError;

const NO_END: &str = "the turn has no end in the recording: the program ended before, or does not record turns";

/// A running replay.
pub(super) struct TurnHandler<'r, 'a> {
    replay: &'r TurnReplay<'a>,
    runner: TurnRunner<'r, 'a>,
    state: ReplayState,
    open: OpenTurns,
}

/// The dispatches of turns that have not ended yet, with their places.
#[derive(Default)]
struct OpenTurns(VecDeque<(Arc<str>, Vec<Placed>)>);

/// A dispatch and its line.
type Placed = (String, DispatchLine);

/// The maximum number of open turns.
const OPEN: usize = 256;

impl OpenTurns {
    /// Adds a line. If too many turns are open, returns the place of the one that was discarded.
    fn add(&mut self, request: &Arc<str>, place: String, line: DispatchLine) -> Option<String> {
        if let Some((_, lines)) = self.0.iter_mut().rev().find(|(open, _)| open == request) {
            lines.push((place, line));
            return None;
        }
        self.0.push_back((Arc::clone(request), vec![(place, line)]));
        let oldest = if self.0.len() > OPEN { self.0.pop_front() } else { None };
        oldest.and_then(|(_, lines)| lines.into_iter().next()).map(|(place, _)| place)
    }

    fn end(&mut self, request: Option<&Arc<str>>) -> Vec<Placed> {
        let at = self.0.iter().rposition(|(open, _)| Some(open) == request);
        at.and_then(|at| self.0.remove(at)).map(|(_, lines)| lines).unwrap_or_default()
    }
}

impl<'r, 'a> TurnHandler<'r, 'a> {
    pub(super) fn new(replay: &'r TurnReplay<'a>) -> Self {
        Self { replay, runner: TurnRunner::new(replay), state: replay.options.start(), open: OpenTurns::default() }
    }

    /// The report, after the last file.
    pub(super) fn end(self) -> ReplayReport {
        let Self { state: ReplayState { mut report, .. }, open, .. } = self;
        for (_, lines) in open.0 {
            report.fail(lines.first().map_or("", |(place, _)| place), &NO_END);
        }
        report.sort();
        report
    }

    async fn turn(&mut self, turn: TurnLine, dispatches: Vec<Placed>, place: &str) -> Result<(), ReplayError> {
        let ReplayState { report, comparer } = &mut self.state;
        let inputs = whole(&turn, dispatches.len(), &comparer.messages);
        let inputs = match inputs.and_then(|inputs| self.replay.knows(&turn.ids).map(|()| inputs)) {
            Ok(inputs) => inputs,
            Err(problem) => {
                report.fail(place, &problem);
                return Ok(());
            }
        };
        let comparison =
            TurnComparison::new(place.to_owned(), dispatches, self.replay.matching, std::mem::take(comparer));
        let (comparison, done) = self.runner.run(&turn, inputs, comparison).await;
        *comparer = comparison.comparer;
        match done {
            Ok(()) => {}
            Err(TurnError::Hooks(error)) => return Err(error.into()),
            Err(error) => {
                report.fail(place, &error);
                return Ok(());
            }
        }
        report.turns += 1;
        report.partly += usize::from(!turn.marks.is_empty());
        report.diverged += usize::from(comparison.diverged && comparison.unanswered == 0);
        report.stopped += usize::from(comparison.diverged && self.replay.matching == Matching::Strict);
        report.replayed += comparison.compared;
        report.unanswered += comparison.unanswered;
        for hook in comparison.not_started {
            *report.not_started.entry(hook).or_default() += 1;
        }
        for step in comparison.steps {
            let Step { place, mut recorded, differences, counterfactual, by_changed_hook, .. } = step;
            recorded.ids.conversation.clone_from(&turn.ids.conversation);
            let lacks_input = (!turn.marks.is_empty() || step.lacks_input) && !by_changed_hook;
            report.add_to(Doubts { counterfactual, lacks_input }, &recorded, &place, differences);
        }
        Ok(())
    }
}

impl LineHandler for TurnHandler<'_, '_> {
    fn state(&mut self) -> &mut ReplayState {
        &mut self.state
    }

    async fn line(&mut self, line: RecordingLine, place: &str) -> Result<(), ReplayError> {
        match line {
            RecordingLine::Dispatch(line) => {
                // Dispatches outside of turns are replayed individually.
                let Some(request) = line.ids.request.clone() else { return Ok(()) };
                if let Some(given_up) = self.open.add(&request, place.to_owned(), *line) {
                    self.state.report.fail(&given_up, &NO_END);
                }
            }
            RecordingLine::Turn(turn) => {
                let dispatches = self.open.end(turn.ids.request.as_ref());
                return self.turn(*turn, dispatches, place).await;
            }
            // The line of a truncated turn says so.
            _ => {}
        }
        Ok(())
    }
}

/// The inputs of a turn, if it can be replayed.
fn whole(turn: &TurnLine, dispatches: usize, messages: &KnownMessages) -> Result<TurnInputs, String> {
    if turn.inputs.is_null() {
        return Err("the turn exceeded the size limit of the recorder".to_owned());
    }
    if dispatches != turn.dispatches {
        return Err(format!(
            "only {dispatches} of the {} dispatches of the turn are in the recording",
            turn.dispatches
        ));
    }
    if turn.inputs.get("joined").is_none() {
        return Err(
            "it was recorded by an earlier version, which did not record all inputs of a turn; record it again"
                .to_owned(),
        );
    }
    let mut pool = MessagePool::default();
    let inputs = messages.pooled(turn.inputs.clone(), &mut pool).map_err(|missing| missing.to_string())?;
    let inputs: TurnInputs = pool
        .within(|| serde_json::from_value(inputs))
        .map_err(|error| format!("the inputs of the turn cannot be read: {error}"))?;
    if inputs.cancelled {
        return Err("the turn was cancelled or timed out".to_owned());
    }
    Ok(inputs)
}
