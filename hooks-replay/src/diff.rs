//! Compares two recordings of the same traffic.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

use crate::compare::{Difference, compare, is_same};
use crate::line::{DispatchLine, RecordingLine};
use crate::lines::{LineError, read_line};
use crate::options::{ReplayOptions, ReplayState};
use crate::refs::{self, SharedId};
use crate::report::ReplayReport;
use crate::source::{ReplayError, Source};

/// Compares the recordings `then` with the recordings `now`, without running any hooks.
///
/// Dispatches with the same conversation, turn, kind and call are compared; if there are several, in order. A dispatch
/// without a counterpart is a difference in the flow.
///
/// # Errors
/// [`ReplayError::File`] if a file cannot be read.
pub fn diff<P: AsRef<Path>>(then: &[P], now: impl AsRef<Path>) -> Result<ReplayReport, ReplayError> {
    let now = now.as_ref();
    let unreadable = |error| ReplayError::File { path: now.display().to_string(), error };
    let flow = |recorded, replayed| vec![Difference::Flow { recorded, replayed, diff: String::new() }];
    let mut state = ReplayOptions::default().start();
    let mut other = Index::of(now, &mut state.report).map_err(unreadable)?;
    let source = Source::of(then);
    for path in then {
        let name = path.as_ref().display().to_string();
        for (number, found) in source.lines(path.as_ref())? {
            let Some(RecordingLine::Dispatch(mut line)) = state.take(&name, number, found) else { continue };
            let ReplayState { report, comparer } = &mut state;
            if line.depth > 0 {
                report.nested += 1;
                continue;
            }
            report.replayed += 1;
            report.partly += usize::from(!line.marks.is_empty());
            let differences = match other.take(&line).map_err(unreadable)? {
                Some(now) if is_same(&line, &now) => Vec::new(),
                Some(mut now) => {
                    // A missing reference stays in the line, and is a difference.
                    let _ = line.resolve(&mut |id| comparer.messages.value(id));
                    other.resolve(&mut now);
                    compare(&line, &now)
                }
                None => flow(Some(line.kind.clone()), None),
            };
            report.add(&line, &format!("{name}:{number}"), differences);
        }
    }
    let mut report = state.report;
    for (number, begins) in other.rest() {
        if let Some(line) = other.read(begins).map_err(unreadable)? {
            report.add(&line, &format!("{}:{number}", now.display()), flow(None, Some(line.kind.clone())));
        }
    }
    report.sort();
    Ok(report)
}

/// The positions of the lines in a file, which can be larger than the memory.
struct Index {
    file: BufReader<File>,
    /// The number and offset of each dispatch, by its key.
    places: HashMap<u64, VecDeque<(usize, u64)>>,
    /// The offsets of the lines with messages and values.
    messages: HashMap<SharedId, u64>,
    values: HashMap<SharedId, u64>,
}

impl Index {
    fn of(path: &Path, report: &mut ReplayReport) -> io::Result<Self> {
        let file = BufReader::new(File::open(path)?);
        let (places, messages, values) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut index = Self { file, places, messages, values };
        let (mut begins, mut number) = (0, 0);
        loop {
            let mut text = Vec::new();
            let read = read_line(&mut index.file, &mut text)?;
            if read == 0 {
                return Ok(index);
            }
            number += 1;
            match serde_json::from_slice(&text) {
                Ok(RecordingLine::Dispatch(line)) if line.depth == 0 => {
                    index.places.entry(key(&line)).or_default().push_back((number, begins));
                }
                Ok(RecordingLine::Message(message)) => drop(index.messages.insert(message.id, begins)),
                Ok(RecordingLine::Value(value)) => drop(index.values.insert(value.id, begins)),
                Ok(_) => {}
                Err(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Err(error) => report.fail(&path.display().to_string(), &LineError::of(number, &text, error)),
            }
            begins += read;
        }
    }

    /// Takes the counterpart of a line.
    fn take(&mut self, line: &DispatchLine) -> io::Result<Option<DispatchLine>> {
        match self.places.get_mut(&key(line)).and_then(VecDeque::pop_front) {
            Some((_, begins)) => self.read(begins),
            None => Ok(None),
        }
    }

    fn read(&mut self, begins: u64) -> io::Result<Option<DispatchLine>> {
        Ok(match self.line(begins)? {
            RecordingLine::Dispatch(line) => Some(*line),
            _ => None,
        })
    }

    /// Reads the line at this offset, with its long values resolved.
    fn line(&mut self, begins: u64) -> io::Result<RecordingLine> {
        let mut line = self.plain(begins)?;
        line.each_value(&mut |said| {
            let _ = refs::expand(said, &mut |id| match self.plain(*self.values.get(&id)?) {
                Ok(RecordingLine::Value(value)) => Some(value.value),
                _ => None,
            });
        });
        Ok(line)
    }

    fn plain(&mut self, begins: u64) -> io::Result<RecordingLine> {
        self.file.seek(SeekFrom::Start(begins))?;
        let mut text = Vec::new();
        self.file.read_until(b'\n', &mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }

    fn resolve(&mut self, line: &mut DispatchLine) {
        let _ = line.resolve(&mut |id| match self.line(*self.messages.get(&id)?) {
            Ok(RecordingLine::Message(message)) => Some(message.value),
            _ => None,
        });
    }

    /// The numbers and offsets of the lines without a counterpart.
    fn rest(&self) -> Vec<(usize, u64)> {
        let mut places: Vec<_> = self.places.values().flatten().copied().collect();
        places.sort_unstable();
        places
    }
}

/// The properties that a dispatch and its counterpart share, hashed.
fn key(line: &DispatchLine) -> u64 {
    let mut hasher = DefaultHasher::new();
    let call = line.event.pointer("/call/id").and_then(Value::as_str);
    (&line.kind, &line.ids.conversation, &line.ids.agent_path, line.ids.turn, call).hash(&mut hasher);
    hasher.finish()
}
