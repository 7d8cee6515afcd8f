//! Recorded dispatches through today's hooks.

mod accept;
mod side;

use std::path::Path;
use std::sync::Arc;

use hooks_core::context::{HookContextBuilder, Ids};
use hooks_core::{ConfigError, HookSet, Registry};
use side::{Side, Sides};

use crate::compare::{answers_are_missing, compare, is_of_a_replay};
use crate::line::{self, DispatchLine, Line};
use crate::recorder::clean;
use crate::report::Report;
use crate::secrets::{OwnRule, Scrubber};
use crate::source::{Context, Progress, ReplayError, Source, breathe};
use crate::traffic::Found;

/// Replays recorded dispatches, each on its own, through the hooks of a registry.
pub struct Replay<'a> {
    today: Side<'a>,
    candidate: Option<Side<'a>>,
    context: Box<Context<'a>>,
    progress: Box<dyn Fn(Progress) + Send + Sync + 'a>,
    rules: Arc<[OwnRule]>,
}

impl<'a> Replay<'a> {
    /// A replay through the hooks that `scope` puts in force, for the agent and the prompt of a dispatch.
    pub fn new(
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        Self {
            today: Side::new(registry, scope),
            candidate: None,
            context: Box::new(|cx| cx),
            progress: Box::new(|_| ()),
            rules: Arc::default(),
        }
    }

    /// Compares other hooks with those of [`new`](Self::new), and not these with the recording: of the recording the events
    /// and subjects are taken alone. `registry` may be the same one, where `scope` puts others of its hooks in force, or a
    /// [`fork`](Registry::fork) of it.
    #[must_use]
    pub fn candidate(
        mut self,
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        self.candidate = Some(Side::new(registry, scope));
        self
    }

    /// Puts the state that the hooks ask for into the context of each dispatch. It is the replay's own: give it nothing that
    /// reaches the world.
    #[must_use]
    pub fn context(mut self, context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a) -> Self {
        self.context = Box::new(context);
        self
    }

    /// Tells how far the replay is, after each line that was read. So it should be quick.
    #[must_use]
    pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'a) -> Self {
        self.progress = Box::new(listener);
        self
    }

    /// The app's own rules for what must not be written, as the recorder had them: what they remove is no difference, and
    /// stands in no report.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<OwnRule>) -> Self {
        self.rules = rules.into();
        self
    }

    /// Replays the file at `path`: a recording, or a transcript of another program, which is told by its first line.
    ///
    /// # Errors
    /// [`ReplayError`]: the file cannot be read, or the hooks of today are not in order. What is wrong with a line or a
    /// dispatch is in the report.
    pub async fn file(&self, path: impl AsRef<Path> + Send) -> Result<Report, ReplayError> {
        self.files([path]).await
    }

    /// Replays several files, one after the other, into one report.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub async fn files<P: AsRef<Path> + Send>(
        &self,
        paths: impl IntoIterator<Item = P, IntoIter: Send> + Send,
    ) -> Result<Report, ReplayError> {
        let paths: Vec<_> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let source = Source::of(&paths);
        let mut running = Running::new(self);
        for path in &paths {
            let name = path.display().to_string();
            for (number, found) in source.lines(path)? {
                running.found(&name, number, found).await?;
                (self.progress)(source.progress());
                breathe(number).await;
            }
        }
        running.report.sort();
        Ok(running.report)
    }
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

/// A replay under way.
struct Running<'r, 'a> {
    replay: &'r Replay<'a>,
    report: Report,
    sides: Sides,
    scrubber: Scrubber,
    /// Bytes of a text, beyond which the recording cut it.
    field: usize,
}

impl<'r, 'a> Running<'r, 'a> {
    fn new(replay: &'r Replay<'a>) -> Self {
        let scrubber = Scrubber::new(Arc::clone(&replay.rules));
        Self { replay, report: Report::default(), sides: Sides::default(), scrubber, field: line::field() }
    }

    async fn found(&mut self, name: &str, number: usize, found: Found) -> Result<(), ReplayError> {
        let place = || format!("{name}:{number}");
        match found {
            Found::Line(Line::Dispatch(recorded)) => return self.dispatch(*recorded, &place()).await,
            Found::Line(Line::Dropped { count }) => {
                let problem = format_args!("{count} lines were not written: the recorder was too slow");
                self.report.fail(&place(), &problem);
            }
            Found::Line(Line::Full { .. }) => {
                self.report.fail(&place(), &"the rest of the turn was not written: it was longer than a turn may be");
            }
            Found::Line(Line::Header(header)) => self.field = header.field,
            // Turns are replayed in another way.
            Found::Line(Line::Turn(_)) => {}
            Found::Other(what) => self.report.foreign(&what),
            Found::Unreadable(error) => self.report.fail(name, &error),
        }
        Ok(())
    }

    async fn dispatch(&mut self, mut recorded: DispatchLine, place: &str) -> Result<(), ReplayError> {
        if recorded.depth > 0 {
            self.report.nested += 1;
            return Ok(());
        }
        let today = match self.sides.today.fire(self.replay, &self.replay.today, &mut recorded).await? {
            Ok(fired) => fired.outermost,
            Err(problem) => {
                self.report.fail(place, &problem);
                return Ok(());
            }
        };
        let (mut before, mut after) = match &self.replay.candidate {
            None => (recorded, today),
            Some(candidate) => match self.sides.candidate.fire(self.replay, candidate, &mut recorded).await? {
                // Where it happened, and what of it is there, the recording says.
                Ok(fired) => {
                    let DispatchLine { ids, event, marks, .. } = recorded;
                    (DispatchLine { ids, event, marks, ..today }, fired.outermost)
                }
                Err(problem) => {
                    self.report.fail(place, &problem);
                    return Ok(());
                }
            },
        };
        let report = &mut self.report;
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
        let mut differences = compare(&before, &after);
        if !differences.is_empty() {
            // What was written was cleaned, and so is what is compared with it and shown.
            clean(&mut before, &mut self.scrubber, self.field);
            clean(&mut after, &mut self.scrubber, self.field);
            differences = compare(&before, &after);
        }
        report.add(&before, place, differences);
        Ok(())
    }
}
