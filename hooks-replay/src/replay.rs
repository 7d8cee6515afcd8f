//! Recorded dispatches through today's hooks.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::context::{HookContextBuilder, Ids};
use hooks_core::record::{Observer, Record, Trace};
use hooks_core::{ConfigError, HookContext, HookSet, JsonError, Registry};

use crate::compare::{compare, is_of_a_replay};
use crate::line::{self, DispatchLine, Line};
use crate::lines::{Unreadable, read_line};
use crate::reader::Reader;
use crate::recorder::clean;
use crate::report::Report;
use crate::secrets::OwnRule;
use crate::traffic::{Found, is_recording, traffic};

type Scope<'a> = dyn Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a;
type Context<'a> = dyn Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a;

/// Replays recorded dispatches, each on its own, through the hooks of a registry.
pub struct Replay<'a> {
    registry: &'a Registry,
    scope: Box<Scope<'a>>,
    context: Box<Context<'a>>,
    rules: Vec<OwnRule>,
}

/// A recording could not be replayed at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    #[non_exhaustive]
    File {
        /// The file.
        path: String,
        /// What happened.
        error: std::io::Error,
    },
    /// The hooks of today are not in order.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl<'a> Replay<'a> {
    /// A replay through the hooks that `scope` puts in force, for the agent and the prompt of a dispatch.
    pub fn new(
        registry: &'a Registry,
        scope: impl Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a,
    ) -> Self {
        Self { registry, scope: Box::new(scope), context: Box::new(|cx| cx), rules: Vec::new() }
    }

    /// Puts the state that the hooks ask for into the context of each dispatch. It is the replay's own: give it nothing that
    /// reaches the world.
    #[must_use]
    pub fn context(mut self, context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a) -> Self {
        self.context = Box::new(context);
        self
    }

    /// The app's own rules for what must not be written, as the recorder had them: what they remove is no difference, and
    /// stands in no report.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<OwnRule>) -> Self {
        self.rules = rules;
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
        let mut running = Running::new(self);
        for path in paths {
            let path = path.as_ref();
            let name = path.display().to_string();
            let unreadable = |error| ReplayError::File { path: name.clone(), error };
            let mut input = BufReader::new(File::open(path).map_err(unreadable)?);
            let first = first_line(&mut input).map_err(unreadable)?;
            let is_recording = is_recording(&first);
            let input = Cursor::new(first).chain(input);
            if is_recording {
                running.found(&name, Reader::new(input).map(of_recording)).await?;
            } else {
                running.found(&name, traffic(input)).await?;
            }
        }
        running.report.sort();
        Ok(running.report)
    }
}

/// The first line that is not blank, and those before it.
fn first_line(input: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut first = Vec::new();
    while first.iter().all(u8::is_ascii_whitespace) && read_line(input, &mut first)? > 0 {}
    Ok(first)
}

fn of_recording((number, line): (usize, Result<Line, Unreadable>)) -> (usize, Found) {
    (number, line.map_or_else(Found::Unreadable, Found::Line))
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
    capture: Capture,
    /// One set per agent and prompt.
    sets: HashMap<Place, HookSet>,
    /// Bytes of a text, beyond which the recording cut it.
    field: usize,
}

/// What a set is made for: app, agent and prompt.
type Place = [Option<Arc<str>>; 3];

impl<'r, 'a> Running<'r, 'a> {
    fn new(replay: &'r Replay<'a>) -> Self {
        let (report, capture, sets) = (Report::default(), Capture::default(), HashMap::new());
        Self { replay, report, capture, sets, field: line::field() }
    }

    async fn found(
        &mut self,
        name: &str,
        lines: impl Iterator<Item = (usize, Found)> + Send,
    ) -> Result<(), ReplayError> {
        for (number, found) in lines {
            let place = format!("{name}:{number}");
            match found {
                Found::Line(Line::Dispatch(recorded)) => self.dispatch(*recorded, &place).await?,
                Found::Line(Line::Dropped { count }) => {
                    let problem = format_args!("{count} dispatches were not written: the recorder was too slow");
                    self.report.fail(&place, &problem);
                }
                Found::Line(Line::Header(header)) => self.field = header.field,
                Found::Other(what) => self.report.foreign(&what),
                Found::Unreadable(error) => self.report.fail(name, &error),
            }
        }
        Ok(())
    }

    async fn dispatch(&mut self, mut recorded: DispatchLine, place: &str) -> Result<(), ReplayError> {
        if recorded.depth > 0 {
            self.report.nested += 1;
            return Ok(());
        }
        let set = self.set(&recorded.ids)?;
        let builder = HookContext::builder().with_ids(recorded.ids.clone()).replay(true);
        let cx = (self.replay.context)(builder).replay(true).build();
        let fired = set.fire_json(&recorded.kind, &cx, recorded.event.clone(), recorded.subject.clone()).await;
        let mut replayed = match (self.capture.take(), fired) {
            (Some(line), Ok(_) | Err(JsonError::Dispatch(_))) => line,
            // No hook of today is at the kind: the dispatch leaves everything as it is.
            (None, Ok(fired)) => DispatchLine {
                event: recorded.event.clone(),
                subject: recorded.subject.clone(),
                runs: Some(Vec::new()),
                verdict: fired.verdict,
                ..DispatchLine::default()
            },
            (_, Err(error)) => {
                self.report.fail(place, &error);
                return Ok(());
            }
        };
        let report = &mut self.report;
        report.replayed += 1;
        report.partly += usize::from(!recorded.marks.is_empty());
        for run in replayed.runs.iter().flatten().filter(|run| is_of_a_replay(run)) {
            *report.not_started.entry(run.hook.clone()).or_default() += 1;
        }
        report.time(recorded.runs.as_deref().unwrap_or_default(), replayed.runs.as_deref().unwrap_or_default());
        let mut differences = compare(&recorded, &replayed);
        if !differences.is_empty() {
            // What was written was cleaned, and so is what is compared with it and shown.
            clean(&mut recorded, &self.replay.rules, self.field);
            clean(&mut replayed, &self.replay.rules, self.field);
            differences = compare(&recorded, &replayed);
        }
        report.add(&recorded, place, differences);
        Ok(())
    }

    fn set(&mut self, ids: &Ids) -> Result<HookSet, ConfigError> {
        let place = [ids.app.clone(), ids.agent.clone(), ids.prompt.clone()];
        if let Some(set) = self.sets.get(&place) {
            return Ok(set.clone());
        }
        let observer = self.replay.registry.observe(self.capture.clone());
        let set = (self.replay.scope)(self.replay.registry, ids);
        self.replay.registry.remove_observer(&observer);
        let set = set?;
        self.sets.insert(place, set.clone());
        Ok(set)
    }
}

/// Keeps the line of the last dispatch that no other one is around.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Option<DispatchLine>>>);

impl Capture {
    fn take(&self) -> Option<DispatchLine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Observer for Capture {
    fn dispatched(&self, _record: &Record) {}

    fn traces(&self) -> bool {
        true
    }

    fn traced(&self, trace: &Trace<'_>) {
        if trace.depth == 0 {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(DispatchLine::of(trace));
        }
    }
}
