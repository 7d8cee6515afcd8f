//! A replay of turns under way: lines come, and each turn that ends is run.

use std::collections::VecDeque;
use std::sync::Arc;

use hooks_agent::TurnError;
use hooks_agent::inputs::TurnInputs;

use super::TurnReplay;
use super::walk::{Step, Walk};
use crate::line::{self, DispatchLine, Line, TurnLine};
use crate::report::Report;
use crate::secrets::Scrubber;
use crate::source::ReplayError;
use crate::traffic::Found;

const NO_END: &str = "the turn has no end in the recording: the program ended first, or does not record turns";

/// A replay under way.
pub(super) struct RunningTurns<'r, 'a> {
    replay: &'r TurnReplay<'a>,
    report: Report,
    open: OpenTurns,
    scrubber: Scrubber,
    field: usize,
}

/// The dispatches of turns that have not ended yet, with their places.
#[derive(Default)]
struct OpenTurns(VecDeque<(Arc<str>, Vec<Placed>)>);

/// A dispatch, and the line that it is in.
type Placed = (String, DispatchLine);

/// How many turns may be open at once.
const OPEN: usize = 256;

impl OpenTurns {
    /// Adds a line; where too many turns are open, the place of the one that is given up.
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

impl<'r, 'a> RunningTurns<'r, 'a> {
    pub(super) fn new(replay: &'r TurnReplay<'a>) -> Self {
        let scrubber = Scrubber::new(Arc::clone(&replay.rules));
        let (report, open) = (Report::default(), OpenTurns::default());
        Self { replay, report, open, scrubber, field: line::field() }
    }

    /// The report, at the end of the last file.
    pub(super) fn end(self) -> Report {
        let Self { mut report, open, .. } = self;
        for (_, lines) in open.0 {
            report.fail(lines.first().map_or("", |(place, _)| place), &NO_END);
        }
        report.sort();
        report
    }

    pub(super) async fn found(&mut self, place: &str, found: Found) -> Result<(), ReplayError> {
        match found {
            Found::Line(Line::Dispatch(line)) => {
                // What no turn has is replayed dispatch by dispatch.
                let Some(request) = line.ids.request.clone() else { return Ok(()) };
                if let Some(given_up) = self.open.add(&request, place.to_owned(), *line) {
                    self.report.fail(&given_up, &NO_END);
                }
            }
            Found::Line(Line::Turn(turn)) => {
                let dispatches = self.open.end(turn.ids.request.as_ref());
                if turn.ids.agent_path.is_empty() {
                    return self.turn(*turn, dispatches, place).await;
                }
                self.report.nested += dispatches.len();
            }
            Found::Line(Line::Header(header)) => self.field = header.field,
            Found::Line(Line::Dropped { count }) => {
                let problem = format_args!("{count} lines were not written: the recorder was too slow");
                self.report.fail(place, &problem);
            }
            // The turn says that it is not whole.
            Found::Line(Line::Full { .. }) => {}
            Found::Other(what) => self.report.foreign(&what),
            Found::Unreadable(error) => self.report.fail(place, &error),
        }
        Ok(())
    }

    async fn turn(&mut self, turn: TurnLine, dispatches: Vec<Placed>, place: &str) -> Result<(), ReplayError> {
        let inputs = match whole(&turn, dispatches.len()) {
            Ok(inputs) => inputs,
            Err(problem) => {
                self.report.fail(place, &problem);
                return Ok(());
            }
        };
        let scrubber = std::mem::replace(&mut self.scrubber, Scrubber::new(Arc::default()));
        let walk = Walk::new(place.to_owned(), dispatches, (self.replay.matching, self.field), scrubber);
        let walk = self.replay.run(&turn, inputs, walk).await;
        let walk = match walk {
            Ok(walk) => walk,
            Err(TurnError::Hooks(error)) => return Err(error.into()),
            Err(error) => {
                self.scrubber = Scrubber::new(Arc::clone(&self.replay.rules));
                self.report.fail(place, &error);
                return Ok(());
            }
        };
        self.scrubber = walk.scrubber;
        let report = &mut self.report;
        report.turns += 1;
        report.partly += usize::from(!turn.marks.is_empty());
        report.diverged += usize::from(walk.diverged && walk.unanswered == 0);
        report.replayed += walk.compared;
        report.unanswered += walk.unanswered;
        for hook in walk.not_started {
            *report.not_started.entry(hook).or_default() += 1;
        }
        for Step { place, mut recorded, differences, counterfactual } in walk.steps {
            recorded.ids.conversation.clone_from(&turn.ids.conversation);
            report.add_to(counterfactual, &recorded, &place, differences);
        }
        Ok(())
    }
}

/// The inputs of a turn that can be replayed.
fn whole(turn: &TurnLine, dispatches: usize) -> Result<TurnInputs, String> {
    if turn.inputs.is_null() {
        return Err("the turn was longer than a recorded one may be".to_owned());
    }
    if dispatches != turn.dispatches {
        return Err(format!("{dispatches} of the {} dispatches of the turn are in the recording", turn.dispatches));
    }
    let inputs: TurnInputs = serde_json::from_value(turn.inputs.clone())
        .map_err(|error| format!("what the turn took from outside cannot be read: {error}"))?;
    match &inputs {
        TurnInputs { steered: 1.., .. } => Err("messages joined the turn while it ran".to_owned()),
        TurnInputs { cancelled: true, .. } => Err("the turn was cancelled, or its time was up".to_owned()),
        TurnInputs { prompt: None, .. } => Err("it goes on with a turn that was suspended".to_owned()),
        _ => Ok(inputs),
    }
}
