//! Recorded dispatches through today's hooks.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::context::{HookContextBuilder, Ids};
use hooks_core::record::{Observer, Record, Trace};
use hooks_core::{ConfigError, HookContext, HookSet, JsonError, Registry};

use crate::compare::{compare, is_of_a_replay};
use crate::line::{DispatchLine, Line, Mark};
use crate::reader::Reader;
use crate::recorder::{Limits, clean};
use crate::report::Report;

type Scope<'a> = dyn Fn(&Registry, &Ids) -> Result<HookSet, ConfigError> + Send + Sync + 'a;
type Context<'a> = dyn Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a;

/// Replays recorded dispatches, each on its own, through the hooks of a registry.
pub struct Replay<'a> {
    registry: &'a Registry,
    scope: Box<Scope<'a>>,
    context: Box<Context<'a>>,
    field: usize,
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
        Self { registry, scope: Box::new(scope), context: Box::new(|cx| cx), field: Limits::default().field }
    }

    /// Puts the state that the hooks ask for into the context of each dispatch. It is the replay's own: give it nothing that
    /// reaches the world.
    #[must_use]
    pub fn context(mut self, context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a) -> Self {
        self.context = Box::new(context);
        self
    }

    /// Replays the recording at `path`.
    ///
    /// # Errors
    /// [`ReplayError`]: the file cannot be opened, or the hooks of today are not in order. What is wrong with a line or a
    /// dispatch is in the report.
    pub async fn file(&self, path: impl AsRef<Path> + Send) -> Result<Report, ReplayError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let reader = Reader::open(path).map_err(|error| ReplayError::File { path: name.clone(), error })?;
        self.lines(&name, reader).await
    }

    /// Replays the lines of a recording, whose places begin with `name` in the report.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub async fn lines<R: BufRead + Send>(&self, name: &str, reader: Reader<R>) -> Result<Report, ReplayError> {
        let mut running = Running::new(self);
        let mut report = Report::default();
        for (index, line) in reader.enumerate() {
            let place = format!("{name}:{}", index + 1);
            match line {
                Ok(Line::Dispatch(recorded)) => running.dispatch(*recorded, &place, &mut report).await?,
                Ok(Line::Dropped { count }) => {
                    report
                        .fail(&place, &format_args!("{count} dispatches were not written: the recorder was too slow"));
                }
                Ok(Line::Header(_)) => {}
                Err(error) => report.fail(name, &error),
            }
        }
        report.sort();
        Ok(report)
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
    capture: Capture,
    /// One set per agent and prompt.
    sets: HashMap<Place, HookSet>,
}

/// What a set is made for: app, agent and prompt.
type Place = [Option<Arc<str>>; 3];

impl<'r, 'a> Running<'r, 'a> {
    fn new(replay: &'r Replay<'a>) -> Self {
        Self { replay, capture: Capture::default(), sets: HashMap::new() }
    }

    async fn dispatch(
        &mut self,
        mut recorded: DispatchLine,
        place: &str,
        report: &mut Report,
    ) -> Result<(), ReplayError> {
        if recorded.depth > 0 {
            report.nested += 1;
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
                report.fail(place, &error);
                return Ok(());
            }
        };
        report.replayed += 1;
        report.partly += usize::from(recorded.marks.iter().any(|mark| matches!(mark, Mark::Cut | Mark::Redacted)));
        for run in replayed.runs.iter().flatten().filter(|run| is_of_a_replay(run)) {
            *report.not_started.entry(run.hook.clone()).or_default() += 1;
        }
        // What was written was cleaned, and so is what it is compared with.
        clean(&mut recorded, &[], self.replay.field);
        clean(&mut replayed, &[], self.replay.field);
        let differences = compare(&recorded, &replayed);
        report.add(&recorded.kind, place, recorded.ids.conversation.as_deref(), differences);
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
