//! Replays recorded dispatches with the current hooks.

mod accept;
mod candidate;

use std::collections::BTreeSet;
use std::path::Path;

use candidate::{Candidate, CandidateSets};
use hook_sdk::context::{HookContextBuilder, Ids};
use hook_sdk::{ConfigError, HookSet, Registry};

use crate::compare::{Difference, answers_are_missing, is_by_changed_hook, is_of_a_replay};
use crate::line::{DispatchLine, RecordingLine};
use crate::options::{LineHandler, ReplayOptions, ReplayState, option_methods};
use crate::report::{Doubts, ReplayReport};
use crate::secrets::OwnRule;
use crate::source::{Progress, ReplayError};

/// Replays recorded dispatches, each independently, with the hooks of a registry.
pub struct Replay<'a> {
    today: Candidate<'a>,
    candidate: Option<Candidate<'a>>,
    options: ReplayOptions<'a>,
}

impl<'a> Replay<'a> {
    /// Creates a replay with the hooks that `scope` returns for the agent and the prompt of a dispatch.
    pub fn new(
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        Self { today: Candidate::new(registry, scope), candidate: None, options: ReplayOptions::default() }
    }

    /// Compares other hooks with those of [`new`](Self::new), instead of comparing the latter with the recording, of
    /// which only the events and subjects are used. `registry` can be the same one, if `scope` returns other hooks of
    /// it, or a [`fork`](Registry::fork) of it.
    #[must_use]
    pub fn candidate(
        mut self,
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        self.candidate = Some(Candidate::new(registry, scope));
        self
    }

    option_methods!();

    /// Replays several files in order into one report: recordings, or transcripts of other programs, which are detected
    /// by their first lines.
    ///
    /// # Errors
    /// [`ReplayError`] if a file cannot be read, or the lists of hooks are invalid. Errors in a line or a dispatch are
    /// part of the report.
    pub async fn files<P: AsRef<Path> + Send>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send> + Send,
    ) -> Result<ReplayReport, ReplayError> {
        let paths: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut running = DispatchHandler::new(self);
        self.options.read(&paths, &mut running).await?;
        Ok(running.into_report())
    }
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

/// A running replay of dispatches.
struct DispatchHandler<'r, 'a> {
    replay: &'r Replay<'a>,
    state: ReplayState,
    sets: CandidateSets,
    /// The kinds of the recorded dispatches.
    kinds: BTreeSet<String>,
    /// The hooks that ran in them. Where one of these ran, its other kinds would have been recorded too.
    ran: BTreeSet<String>,
}

impl<'r, 'a> DispatchHandler<'r, 'a> {
    fn new(replay: &'r Replay<'a>) -> Self {
        Self {
            replay,
            state: replay.options.start(),
            sets: CandidateSets::default(),
            kinds: BTreeSet::new(),
            ran: BTreeSet::new(),
        }
    }

    fn into_report(self) -> ReplayReport {
        let Self { state: ReplayState { mut report, .. }, sets, kinds, ran, .. } = self;
        for (hook, planned) in sets.today.planned.iter().chain(&sets.candidate.planned) {
            report.tries(hook, planned, if ran.contains(hook) { None } else { Some(&kinds) });
        }
        report.sort();
        report
    }
}

impl LineHandler for DispatchHandler<'_, '_> {
    fn state(&mut self) -> &mut ReplayState {
        &mut self.state
    }

    async fn line(&mut self, line: RecordingLine, place: &str) -> Result<(), ReplayError> {
        match line {
            RecordingLine::Dispatch(recorded) => self.dispatch(*recorded, place).await,
            // Turns are replayed by `TurnReplay`.
            other => {
                if let Some(gap) = other.gap() {
                    self.state.report.fail(place, &gap);
                }
                Ok(())
            }
        }
    }
}

impl DispatchHandler<'_, '_> {
    async fn dispatch(&mut self, recorded: DispatchLine, place: &str) -> Result<(), ReplayError> {
        if !self.kinds.contains(&recorded.kind) {
            self.kinds.insert(recorded.kind.clone());
        }
        for run in recorded.runs.iter().flatten() {
            if !self.ran.contains(&run.hook) {
                self.ran.insert(run.hook.clone());
            }
        }
        if recorded.depth > 0 {
            self.state.report.nested += 1;
            return Ok(());
        }
        // What was removed before, not what the comparison removes. Two sets of hooks get the same today.
        let (is_partial, lacks_input) =
            (!recorded.marks.is_empty(), self.replay.candidate.is_none() && recorded.lacks_input());
        let ReplayState { report, comparer } = &mut self.state;
        let (options, today) = (&self.replay.options, &self.replay.today);
        let today = match self.sets.today.fire(today, options, comparer, &recorded).await? {
            Ok(fired) => fired.outermost,
            Err(problem) => {
                report.fail(place, &problem);
                report.leave_out(place);
                return Ok(());
            }
        };
        let (mut before, mut after) = match &self.replay.candidate {
            None => (recorded, today),
            Some(candidate) => match self.sets.candidate.fire(candidate, options, comparer, &recorded).await? {
                // The ids come from the recording.
                Ok(fired) => {
                    let DispatchLine { ids, event, .. } = recorded;
                    (DispatchLine { ids, event, ..today }, fired.outermost)
                }
                Err(problem) => {
                    report.fail(place, &problem);
                    report.leave_out(place);
                    return Ok(());
                }
            },
        };
        report.replayed += 1;
        report.partly += usize::from(is_partial);
        let (then, now) = (before.runs.as_deref().unwrap_or_default(), after.runs.as_deref().unwrap_or_default());
        for run in now.iter().filter(|run| is_of_a_replay(run)) {
            *report.not_started.entry(run.hook.clone()).or_default() += 1;
        }
        report.time(then, now);
        report.filtered(then, now);
        *report.kinds.entry(before.kind.clone()).or_default() += 1;
        if self.replay.candidate.is_none() && answers_are_missing(then, now) {
            report.unanswered += 1;
            report.leave_out(place);
            return Ok(());
        }
        let mut differences = comparer.compare(&mut before, &mut after);
        if self.replay.candidate.is_some() {
            // That the candidate is another one is no effect of it.
            differences.retain(|difference| !matches!(difference, Difference::Revised { .. }));
        }
        let lacks_input = lacks_input && !is_by_changed_hook(&before, &after);
        report.add_to(Doubts { lacks_input, ..Doubts::default() }, &before, place, differences);
        Ok(())
    }
}
