//! Tests hooks against recordings in a repository, and updates the recordings.

use std::fs;
use std::future::Future;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{DispatchHandler, Replay};
use crate::comparer::Comparer;
use crate::line::{DispatchLine, Header, RecordingLine, SCHEMA};
use crate::messages::written;
use crate::new_file::NewFile;
use crate::options::ReplayState;
use crate::recorder::SharedValues;
use crate::report::ReplayReport;
use crate::source::{ReplayError, Source};
use crate::traffic::SourceLine;

/// If this environment variable is `accept`, recordings are rewritten.
const VARIABLE: &str = "REPLAY";

impl Replay<'_> {
    /// For tests: checks that the current hooks behave as in the recordings at `path`, a file or a folder of `.jsonl`
    /// files. With the environment variable `REPLAY=accept`, it rewrites the recordings instead; review the diff of
    /// your repository. A relative path is relative to the package, because `cargo test` runs tests there.
    ///
    /// # Panics
    /// If something differs or cannot be replayed, with the report, or if there is no recording.
    #[track_caller]
    #[allow(clippy::panic, reason = "fails the test")]
    pub fn hold(&self, path: impl AsRef<Path> + Send) -> impl Future<Output = ()> + Send {
        let caller = std::panic::Location::caller();
        async move {
            let accepts = std::env::var_os(VARIABLE).is_some_and(|word| word == "accept");
            let held = if accepts { self.accept(path.as_ref()).await } else { self.held(path.as_ref()).await };
            if let Err(problem) = held {
                panic!(
                    "{caller}: {problem}\nif this is intended, run the test with {VARIABLE}=accept, and commit the new recording"
                );
            }
        }
    }

    async fn held(&self, path: &Path) -> Result<(), String> {
        let report = self.files(&recordings(path)?).await.map_err(|error| error.to_string())?;
        // A hook of whose kinds nothing was recorded is no change of what was.
        let is_held = report.is_empty() && report.replayed > 0;
        if is_held { Ok(()) } else { Err(format!("the hooks do not behave as recorded\n{report}")) }
    }

    /// Rewrites the recordings at `path`, a file or a folder of `.jsonl` files, with the behaviour of the current
    /// hooks, like [`hold`](Self::hold) with `REPLAY=accept`.
    ///
    /// # Errors
    /// If a recording cannot be read, replayed or written. It is not changed then.
    pub async fn accept(&self, path: impl AsRef<Path> + Send) -> Result<(), String> {
        for file in recordings(path.as_ref())? {
            let report = self.write_anew(&file).await.map_err(|error| error.to_string())?;
            if report.failed > 0 {
                return Err(format!("{} was not changed\n{report}", file.display()));
            }
        }
        Ok(())
    }

    async fn write_anew(&self, path: &Path) -> Result<ReplayReport, ReplayError> {
        let name = path.display().to_string();
        let unwritten = |error| ReplayError::File { path: name.clone(), error };
        let mut file = NewFile::create(path).map_err(unwritten)?;
        let (mut running, mut sharing) = (DispatchHandler::new(self), SharedValues::new());
        for (number, found) in Source::of(&[path]).lines(path)? {
            for mut line in running.anew(found, &name, number).await? {
                let Comparer { messages, cleaner } = &mut running.state.comparer;
                let mut message = |id| messages.get(id).map(|message| written(message, cleaner).0);
                let bytes = sharing.bytes(&mut line, &mut message).map_err(io::Error::from);
                bytes.and_then(|bytes| file.write_all(&bytes)).map_err(unwritten)?;
                sharing.written();
            }
        }
        let report = running.state.report;
        if report.failed == 0 {
            file.finish().map_err(unwritten)?;
        }
        Ok(report)
    }
}

/// The file, or the recordings in the folder, sorted by name.
fn recordings(path: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |problem: &dyn std::fmt::Display| format!("{}: {problem}", path.display());
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut files: Vec<PathBuf> = entries.map_err(|error: io::Error| problem(&error))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    if files.is_empty() { Err(problem(&"there is no `.jsonl` file")) } else { Ok(files) }
}

impl DispatchHandler<'_, '_> {
    /// The lines that replace one line.
    async fn anew(&mut self, found: SourceLine, file: &str, number: usize) -> Result<Vec<RecordingLine>, ReplayError> {
        let place = || format!("{file}:{number}");
        let recorded = match found {
            SourceLine::Line(RecordingLine::Header(header)) => {
                self.state.comparer.cleaner.field = header.field;
                return Ok(vec![RecordingLine::Header(Header { schema: SCHEMA, ..header })]);
            }
            SourceLine::Line(
                line @ (RecordingLine::Turn(_) | RecordingLine::Full { .. } | RecordingLine::Dropped { .. }),
            ) => return Ok(vec![line]),
            SourceLine::Other(what) => {
                self.state.report.fail(&place(), &format_args!("this is not a line of a recording, but `{what}`"));
                return Ok(Vec::new());
            }
            found => match self.state.take(file, number, found) {
                Some(RecordingLine::Dispatch(recorded)) if recorded.depth == 0 => *recorded,
                // Nested dispatches are written together with the outer one.
                _ => return Ok(Vec::new()),
            },
        };
        let ReplayState { report, comparer } = &mut self.state;
        let today = &self.replay.today;
        let fired = match self.sets.today.fire(today, &self.replay.options, comparer, &recorded).await? {
            Ok(fired) => fired,
            Err(problem) => {
                report.fail(&place(), &problem);
                return Ok(Vec::new());
            }
        };
        report.replayed += 1;
        let DispatchLine { ids, event, marks, whole_input, .. } = recorded;
        let mut line = |line: DispatchLine| {
            let mut line = DispatchLine { ids: ids.clone(), ..line };
            comparer.cleaner.line(&mut line);
            RecordingLine::Dispatch(Box::new(line))
        };
        let mut lines: Vec<_> = fired.within.into_iter().map(&mut line).collect();
        lines.push(line(DispatchLine { event, marks, whole_input, ..fired.outermost }));
        Ok(lines)
    }
}
