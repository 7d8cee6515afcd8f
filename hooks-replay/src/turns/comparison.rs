//! Compares a running turn with its recording, dispatch by dispatch.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use hook_sdk::CancellationToken;
use hook_sdk::record::Trace;
use serde_json::{Value, json};

use super::Matching;
use crate::compare::{Difference, answers_are_missing, diff, is_by_changed_hook, is_of_a_replay};
use crate::comparer::Comparer;
use crate::line::DispatchLine;

/// A dispatch with differences, or with something else for the report.
pub(super) struct Step {
    pub(super) place: String,
    pub(super) recorded: DispatchLine,
    pub(super) differences: Vec<Difference>,
    /// Whether the turn had diverged before.
    pub(super) counterfactual: bool,
    /// Whether a hook that is new, removed or revised behaves differently.
    pub(super) by_changed_hook: bool,
    /// Whether a part of the recorded event or subject was removed.
    pub(super) lacks_input: bool,
}

/// The recorded dispatches of a turn, and the comparison with the replayed ones so far.
#[derive(Default)]
pub(super) struct TurnComparison {
    recorded: VecDeque<(String, DispatchLine)>,
    /// The kinds that had hooks in the recording, as far as the turn has come.
    then: HashSet<String>,
    /// The kinds that have hooks in the replay.
    today: HashSet<&'static str>,
    matching: Matching,
    pub(super) comparer: Comparer,
    /// The place of the beginning of the turn, for steps without their own line.
    place: String,
    pub(super) cancellation: CancellationToken,
    pub(super) steps: Vec<Step>,
    pub(super) compared: usize,
    pub(super) unanswered: usize,
    pub(super) not_started: Vec<String>,
    pub(super) diverged: bool,
}

impl TurnComparison {
    pub(super) fn new(
        place: String,
        recorded: Vec<(String, DispatchLine)>,
        matching: Matching,
        comparer: Comparer,
    ) -> Self {
        let recorded: VecDeque<_> = recorded.into_iter().filter(|(_, line)| is_compared(line)).collect();
        Self {
            then: recorded.iter().map(|(_, line)| line.kind.clone()).collect(),
            recorded,
            matching,
            comparer,
            place,
            ..Self::default()
        }
    }

    pub(super) fn begins(&mut self, kinds: impl Iterator<Item = &'static str>) {
        self.today = kinds.collect();
    }

    /// Handles a dispatch of the loop.
    pub(super) fn traced(&mut self, mut trace: Trace) {
        // The rest of the event can contain a conversation, and is not needed.
        trace.event = Arc::new(json!({ "call": trace.event.get("call") }));
        let line = self.comparer.line(trace);
        self.dispatched(line);
    }

    fn dispatched(&mut self, now: DispatchLine) {
        if !is_compared(&now) || (self.diverged && self.matching == Matching::Strict) {
            return;
        }
        let fired = now.runs.iter().flatten().filter(|run| is_of_a_replay(run));
        self.not_started.extend(fired.map(|run| run.hook.clone()));
        if self.diverged {
            return self.counterfactual(now);
        }
        loop {
            match self.recorded.front() {
                Some((_, then)) if then.kind == now.kind => {}
                // The kind had no hooks in the recording.
                _ if !self.then.contains(&now.kind) => {
                    let then = without_hooks(&now);
                    return self.compare(self.place.clone(), then, now);
                }
                // The kind no longer has hooks.
                Some((_, then)) if !self.today.contains(&*then.kind) => {
                    if let Some((place, then)) = self.recorded.pop_front() {
                        let now = without_hooks(&then);
                        self.compare(place, then, now);
                    }
                    if self.diverged {
                        return self.dispatched(now);
                    }
                    continue;
                }
                other => {
                    let (place, kind) = match other {
                        Some((place, then)) => (place.clone(), Some(then.kind.clone())),
                        None => (self.place.clone(), None),
                    };
                    let flow =
                        Difference::Flow { recorded: kind, replayed: Some(now.kind.clone()), diff: String::new() };
                    return self.diverges(place, now, false, flow);
                }
            }
            if let Some((place, then)) = self.recorded.pop_front() {
                self.compare(place, then, now);
            }
            return;
        }
    }

    /// Handles the end of the turn.
    pub(super) fn ended(&mut self, then: (&str, &str), now: (&str, &str)) {
        while let (false, Some((place, line))) = (self.diverged, self.recorded.pop_front()) {
            if self.today.contains(&*line.kind) {
                let (recorded, lacks_input) = (Some(line.kind.clone()), line.lacks_input());
                let flow = Difference::Flow { recorded, replayed: None, diff: String::new() };
                self.diverges(place, line, lacks_input, flow);
            } else {
                let now = without_hooks(&line);
                self.compare(place, line, now);
            }
        }
        if !self.diverged && then != now {
            let text = |(exit, reply): (&str, &str)| Value::from(vec![exit, reply]);
            let mut turn = DispatchLine { kind: "turn".to_owned(), subject: text(now), ..DispatchLine::default() };
            self.comparer.show(&mut turn);
            let diff = diff(&text(then), &turn.subject);
            if !diff.is_empty() {
                let (recorded, replayed) = (Some(then.0.to_owned()), Some(now.0.to_owned()));
                let place = self.place.clone();
                self.diverges(place, turn, false, Difference::Flow { recorded, replayed, diff });
            }
        }
    }

    fn compare(&mut self, place: String, mut then: DispatchLine, mut now: DispatchLine) {
        self.compared += 1;
        let lacks_input = then.lacks_input();
        let (was, is) = (then.runs.as_deref().unwrap_or_default(), now.runs.as_deref().unwrap_or_default());
        let unanswered = answers_are_missing(was, is);
        let differences = self.comparer.compare(&mut then, &mut now);
        if then.subject != now.subject {
            let (kind, diff) = (Some(then.kind.clone()), diff(&then.subject, &now.subject));
            let flow = Difference::Flow { recorded: kind.clone(), replayed: kind, diff };
            return self.diverges(place, then, lacks_input, flow);
        }
        if unanswered {
            // The recorded result of the missing hook influenced the rest of the turn, but cannot be reproduced.
            self.unanswered += 1;
            self.stops();
        } else if !differences.is_empty() {
            let by_changed_hook = is_by_changed_hook(&then, &now);
            if differences.iter().any(Difference::is_effective) {
                self.stops();
            }
            let recorded = then;
            self.steps.push(Step { place, recorded, differences, counterfactual: false, by_changed_hook, lacks_input });
        }
    }

    /// Handles a dispatch after the turn diverged: compares it with the recorded one of the same kind and call.
    fn counterfactual(&mut self, mut now: DispatchLine) {
        self.compared += 1;
        let call = |line: &DispatchLine| line.event.pointer("/call/id").cloned();
        let found = self.recorded.iter().position(|(_, then)| then.kind == now.kind && call(then) == call(&now));
        let (place, recorded, differences, by_changed_hook, lacks_input) =
            match found.and_then(|at| self.recorded.remove(at)) {
                Some((place, mut then)) => {
                    let lacks_input = then.lacks_input();
                    let differences = self.comparer.compare(&mut then, &mut now);
                    let by_changed_hook = is_by_changed_hook(&then, &now);
                    (place, then, differences, by_changed_hook, lacks_input)
                }
                None => {
                    self.comparer.show(&mut now);
                    let replayed = Some(now.kind.clone());
                    let flow = Difference::Flow { recorded: None, replayed, diff: String::new() };
                    (self.place.clone(), now, vec![flow], false, false)
                }
            };
        if !differences.is_empty() {
            self.steps.push(Step { place, recorded, differences, counterfactual: true, by_changed_hook, lacks_input });
        }
    }

    fn diverges(&mut self, place: String, recorded: DispatchLine, lacks_input: bool, flow: Difference) {
        let (differences, by_changed_hook) = (vec![flow], false);
        self.steps.push(Step { place, recorded, differences, counterfactual: false, by_changed_hook, lacks_input });
        self.stops();
    }

    fn stops(&mut self) {
        self.diverged = true;
        if self.matching == Matching::Strict {
            self.cancellation.cancel();
        }
    }
}

/// Pieces of a stream are different each time, and so are dispatches that hooks fire.
fn is_compared(line: &DispatchLine) -> bool {
    line.depth == 0 && line.kind != "stream_delta"
}

/// The dispatch as it would be without hooks at its kind.
fn without_hooks(line: &DispatchLine) -> DispatchLine {
    DispatchLine {
        runs: Some(Vec::new()),
        removed: false,
        // Without decisions of hooks, it is the default verdict.
        verdict: if line.word.is_none() { line.verdict.clone() } else { Value::Null },
        word: None,
        error: None,
        marks: Vec::new(),
        whole_input: false,
        ..line.clone()
    }
}
