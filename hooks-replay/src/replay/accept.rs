//! Recordings in a repository: today's hooks are held to them, or they are written anew.

use std::fs::{self, File};
use std::future::Future;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Replay, Running};
use crate::line::{DispatchLine, Line};
use crate::recorder::clean;
use crate::report::Report;
use crate::source::{ReplayError, Source};
use crate::traffic::Found;

/// Where it says `accept`, recordings that hooks are held to are written anew.
const VARIABLE: &str = "REPLAY";

impl Replay<'_> {
    /// For tests: holds today's hooks to the recordings at `path`, a file or a folder of `.jsonl` files. With `REPLAY=accept`
    /// in the environment they are written anew instead, with what today's hooks do; read the change in the diff of your
    /// repository. A relative path is one of the package, where `cargo test` runs its tests.
    ///
    /// # Panics
    /// Something differs or cannot be replayed, with the report; or there is no recording.
    #[track_caller]
    #[allow(clippy::panic, reason = "what a test does that fails")]
    pub fn hold(&self, path: impl AsRef<Path> + Send) -> impl Future<Output = ()> + Send {
        let caller = std::panic::Location::caller();
        async move {
            let accepts = std::env::var_os(VARIABLE).is_some_and(|word| word == "accept");
            let held = if accepts { self.accept(path.as_ref()).await } else { self.held(path.as_ref()).await };
            if let Err(problem) = held {
                panic!(
                    "{caller}: {problem}\nwhere this is meant, run the test with {VARIABLE}=accept, and commit what it writes"
                );
            }
        }
    }

    async fn held(&self, path: &Path) -> Result<(), String> {
        let report = self.files(&recordings(path)?).await.map_err(|error| error.to_string())?;
        if report.exit_code() == 0 { Ok(()) } else { Err(format!("the hooks do not do what was recorded\n{report}")) }
    }

    /// Writes the recordings at `path`, a file or a folder of `.jsonl` files, anew with what today's hooks do, as
    /// [`hold`](Self::hold) does with `REPLAY=accept`.
    ///
    /// # Errors
    /// A recording cannot be read, replayed or written; it is left as it is then.
    pub async fn accept(&self, path: impl AsRef<Path> + Send) -> Result<(), String> {
        for file in recordings(path.as_ref())? {
            let report = self.write_anew(&file).await.map_err(|error| error.to_string())?;
            if report.failed > 0 {
                return Err(format!("{} was left as it is\n{report}", file.display()));
            }
        }
        Ok(())
    }

    async fn write_anew(&self, path: &Path) -> Result<Report, ReplayError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        let unwritten = |error| ReplayError::File { path: new.display().to_string(), error };
        let mut file = BufWriter::new(File::create(&new).map_err(unwritten)?);
        let mut running = Running::new(self);
        for (number, found) in Source::of(&[path]).lines(path)? {
            let place = format!("{}:{number}", path.display());
            for line in running.anew(found, &place).await? {
                write(&mut file, &line).map_err(unwritten)?;
            }
        }
        file.flush().map_err(unwritten)?;
        drop(file);
        let done = if running.report.failed > 0 { fs::remove_file(&new) } else { fs::rename(&new, path) };
        done.map_err(unwritten)?;
        Ok(running.report)
    }
}

fn write(file: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

/// The file, or the recordings in the folder, by name.
fn recordings(path: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |problem: &dyn std::fmt::Display| format!("{}: {problem}", path.display());
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut files: Vec<PathBuf> = entries.map_err(|error: io::Error| problem(&error))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    if files.is_empty() { Err(problem(&"there is no `.jsonl` file here")) } else { Ok(files) }
}

impl Running<'_, '_> {
    /// The lines that take the place of one.
    async fn anew(&mut self, found: Found, place: &str) -> Result<Vec<Line>, ReplayError> {
        let mut recorded = match found {
            Found::Line(Line::Dispatch(recorded)) if recorded.depth == 0 => *recorded,
            // Those within another dispatch are written with it.
            Found::Line(Line::Dispatch(_)) => return Ok(Vec::new()),
            Found::Line(line) => {
                if let Line::Header(header) = &line {
                    self.field = header.field;
                }
                return Ok(vec![line]);
            }
            Found::Other(what) => {
                self.report.fail(place, &format_args!("this is no line of a recording, but `{what}`"));
                return Ok(Vec::new());
            }
            Found::Unreadable(error) => {
                self.report.fail(place, &error);
                return Ok(Vec::new());
            }
        };
        let fired = match self.sides.today.fire(self.replay, &self.replay.today, &mut recorded).await? {
            Ok(fired) => fired,
            Err(problem) => {
                self.report.fail(place, &problem);
                return Ok(Vec::new());
            }
        };
        self.report.replayed += 1;
        let ids = recorded.ids.clone();
        let mut line = |line: DispatchLine, marks: &[_]| {
            let mut line = DispatchLine { ids: ids.clone(), marks: marks.to_vec(), ..line };
            clean(&mut line, &mut self.scrubber, self.field);
            Line::Dispatch(Box::new(line))
        };
        let mut lines: Vec<_> = fired.within.into_iter().map(|within| line(within, &[])).collect();
        let event = std::mem::take(&mut recorded.event);
        lines.push(line(DispatchLine { event, ..fired.outermost }, &recorded.marks));
        Ok(lines)
    }
}
