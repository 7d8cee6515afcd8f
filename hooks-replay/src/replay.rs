//! Replays recorded dispatches with the current hooks.

mod accept;
mod side;

use std::path::Path;

use hook_sdk::context::{HookContextBuilder, Ids};
use hook_sdk::{ConfigError, HookSet, Registry};
use side::{Side, Sides};

use crate::compare::{answers_are_missing, is_of_a_replay};
use crate::line::{DispatchLine, Line};
use crate::report::Report;
use crate::secrets::OwnRule;
use crate::setup::{Running, Setup, SoFar, setup_methods};
use crate::source::{Progress, ReplayError};

/// Replays recorded dispatches, each independently, with the hooks of a registry.
pub struct Replay<'a> {
    today: Side<'a>,
    candidate: Option<Side<'a>>,
    setup: Setup<'a>,
}

impl<'a> Replay<'a> {
    /// Creates a replay with the hooks that `scope` returns for the agent and the prompt of a dispatch.
    pub fn new(
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        Self { today: Side::new(registry, scope), candidate: None, setup: Setup::default() }
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
        self.candidate = Some(Side::new(registry, scope));
        self
    }

    setup_methods!();

    /// Replays several files in order into one report: recordings, or transcripts of other programs, which are detected
    /// by their first lines.
    ///
    /// # Errors
    /// [`ReplayError`] if a file cannot be read, or the lists of hooks are invalid. Errors in a line or a dispatch are
    /// part of the report.
    pub async fn files<P: AsRef<Path> + Send>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send> + Send,
    ) -> Result<Report, ReplayError> {
        let paths: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut running = Dispatches::new(self);
        self.setup.read(&paths, &mut running).await?;
        let mut report = running.so_far.report;
        report.sort();
        Ok(report)
    }
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

/// A running replay of dispatches.
struct Dispatches<'r, 'a> {
    replay: &'r Replay<'a>,
    so_far: SoFar,
    sides: Sides,
}

impl<'r, 'a> Dispatches<'r, 'a> {
    fn new(replay: &'r Replay<'a>) -> Self {
        Self { replay, so_far: replay.setup.start(), sides: Sides::default() }
    }
}

impl Running for Dispatches<'_, '_> {
    fn so_far(&mut self) -> &mut SoFar {
        &mut self.so_far
    }

    async fn line(&mut self, line: Line, place: &str) -> Result<(), ReplayError> {
        match line {
            Line::Dispatch(recorded) => self.dispatch(*recorded, place).await,
            Line::Full { .. } => {
                let problem = "the rest of the turn was not recorded, because it reached the size limit";
                self.so_far.report.fail(place, &problem);
                Ok(())
            }
            // Turns are replayed by `TurnReplay`.
            _ => Ok(()),
        }
    }
}

impl Dispatches<'_, '_> {
    async fn dispatch(&mut self, recorded: DispatchLine, place: &str) -> Result<(), ReplayError> {
        if recorded.depth > 0 {
            self.so_far.report.nested += 1;
            return Ok(());
        }
        let SoFar { report, comparer } = &mut self.so_far;
        let (setup, today) = (&self.replay.setup, &self.replay.today);
        let today = match self.sides.today.fire(today, setup, comparer, &recorded).await? {
            Ok(fired) => fired.outermost,
            Err(problem) => {
                report.fail(place, &problem);
                return Ok(());
            }
        };
        let (mut before, mut after) = match &self.replay.candidate {
            None => (recorded, today),
            Some(candidate) => match self.sides.candidate.fire(candidate, setup, comparer, &recorded).await? {
                // The ids come from the recording.
                Ok(fired) => {
                    let DispatchLine { ids, event, marks, .. } = recorded;
                    (DispatchLine { ids, event, marks, ..today }, fired.outermost)
                }
                Err(problem) => {
                    report.fail(place, &problem);
                    return Ok(());
                }
            },
        };
        report.replayed += 1;
        report.partly += usize::from(!before.marks.is_empty());
        let (then, now) = (before.runs.as_deref().unwrap_or_default(), after.runs.as_deref().unwrap_or_default());
        for run in now.iter().filter(|run| is_of_a_replay(run)) {
            *report.not_started.entry(run.hook.clone()).or_default() += 1;
        }
        report.time(then, now);
        if self.replay.candidate.is_none() && answers_are_missing(then, now) {
            report.unanswered += 1;
            return Ok(());
        }
        let differences = comparer.compare(&mut before, &mut after);
        report.add(&before, place, differences);
        Ok(())
    }
}
