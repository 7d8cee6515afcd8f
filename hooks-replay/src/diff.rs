//! Compares two recordings of the same traffic.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

use crate::compare::{Difference, compare, diff as diff_of, inputs, is_same};
use crate::line::{DispatchLine, RecordingLine, TurnLine};
use crate::lines::Lines;
use crate::options::{ReplayOptions, ReplayState};
use crate::reader::{parse, skip_later};
use crate::refs::{self, MissingReference, SharedId};
use crate::report::ReplayReport;
use crate::source::{ReplayError, Source};
use crate::traffic::SourceLine;

/// Compares the recordings `then` with the recording `now`, without running any hooks.
///
/// Dispatches with the same conversation, turn, kind and call are compared, and so are the ends of turns; if there are
/// several, in order. What has no counterpart is a difference in the flow, and so is another text of a message.
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
            let place = format!("{name}:{number}");
            if let SourceLine::Line(RecordingLine::Message(then)) = &found
                && let Some(text) = other.message(then.id).map(|now| diff_of(&then.value, &now))
                && !text.is_empty()
            {
                let kind = || Some("message".to_owned());
                let flow = Difference::Flow { recorded: kind(), replayed: kind(), diff: text };
                let line = DispatchLine { kind: "message".to_owned(), ..DispatchLine::default() };
                state.report.add(&line, &place, vec![flow]);
            }
            let mut found = state.take(&name, number, found);
            let ReplayState { report, comparer } = &mut state;
            if let Some(missing) =
                found.as_mut().and_then(|line| missing(line, |id| comparer.messages.get(id).is_some()))
            {
                report.fail(&place, &missing);
            }
            if let Some(gap) = found.as_ref().and_then(RecordingLine::gap) {
                report.fail(&place, &gap);
            }
            let Some(mut line) = found.and_then(compared) else { continue };
            if line.depth > 0 {
                report.nested += 1;
                continue;
            }
            report.replayed += usize::from(line.kind != TURN);
            report.partly += usize::from(!line.marks.is_empty());
            let differences = match other.take(&line).map_err(unreadable)? {
                Some(now) if is_same(&line, &now) && line.event == now.event => Vec::new(),
                Some(mut now) => {
                    // What is missing has been reported.
                    let _ = line.resolve(&mut |id| comparer.messages.value(id)).and(other.resolve(&mut now));
                    let mut found = compare(&line, &now);
                    // Whatever the hooks changed, the traffic is not the same.
                    found.retain(|one| !matches!(one, Difference::Rewrite { .. }) || line.subject == now.subject);
                    found.extend(inputs(&line, &now));
                    found
                }
                None => flow(Some(line.kind.clone()), None),
            };
            report.add(&line, &place, differences);
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

/// The first message that a line refers to and that nobody knows.
fn missing(line: &mut RecordingLine, is_known: impl Fn(SharedId) -> bool) -> Option<MissingReference> {
    let mut found = None;
    line.each_value(&mut |said| {
        refs::each_message(said, &mut |id| {
            if !is_known(id) {
                found.get_or_insert(MissingReference(id));
            }
        });
    });
    found
}

/// The kind of the line that ends a turn, as of a dispatch.
const TURN: &str = "turn";

/// What is compared of a line: a dispatch, or how a turn ended.
fn compared(line: RecordingLine) -> Option<DispatchLine> {
    match line {
        RecordingLine::Dispatch(line) => Some(*line),
        RecordingLine::Turn(turn) => {
            let TurnLine { ids, exit, reply, marks, .. } = *turn;
            let (kind, subject, runs) = (TURN.to_owned(), Value::from(vec![exit, reply]), Some(Vec::new()));
            Some(DispatchLine { kind, ids, subject, runs, marks, ..DispatchLine::default() })
        }
        _ => None,
    }
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
    /// Reads the whole file once, and reports what a replay of it would.
    fn of(path: &Path, report: &mut ReplayReport) -> io::Result<Self> {
        let (file, name) = (BufReader::new(File::open(path)?), path.display().to_string());
        let (places, messages, values) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut index = Self { file, places, messages, values };
        let mut lines = Lines::new(BufReader::new(File::open(path)?));
        while let Some((number, text)) = lines.next() {
            let begins = lines.begins;
            match text.and_then(|text| parse(number, &text, &mut |id| index.value(id))) {
                Ok(RecordingLine::Message(message)) => drop(index.messages.insert(message.id, begins)),
                Ok(RecordingLine::Value(value)) => drop(index.values.insert(value.id, begins)),
                Ok(mut line) => {
                    let place = format!("{name}:{number}");
                    if let Some(missing) = missing(&mut line, |id| index.messages.contains_key(&id)) {
                        report.fail(&place, &missing);
                    }
                    if let Some(gap) = line.gap() {
                        report.fail(&place, &gap);
                    }
                    if let Some(line) = compared(line).filter(|line| line.depth == 0) {
                        index.places.entry(key(&line)).or_default().push_back((number, begins));
                    }
                }
                Err(mut error) => {
                    skip_later(&mut error, &mut lines);
                    report.fail(&name, &error);
                }
            }
        }
        Ok(index)
    }

    /// Takes the counterpart of a line.
    fn take(&mut self, line: &DispatchLine) -> io::Result<Option<DispatchLine>> {
        match self.places.get_mut(&key(line)).and_then(VecDeque::pop_front) {
            Some((_, begins)) => self.read(begins),
            None => Ok(None),
        }
    }

    fn read(&mut self, begins: u64) -> io::Result<Option<DispatchLine>> {
        Ok(compared(self.line(begins)?))
    }

    /// Reads the line at this offset, with its long values resolved.
    fn line(&mut self, begins: u64) -> io::Result<RecordingLine> {
        let mut line = self.plain(begins)?;
        line.each_value(&mut |said| {
            let _ = refs::expand(said, &mut |id| self.value(id));
        });
        Ok(line)
    }

    fn value(&mut self, id: SharedId) -> Option<Value> {
        match self.plain(*self.values.get(&id)?) {
            Ok(RecordingLine::Value(value)) => Some(value.value),
            _ => None,
        }
    }

    fn plain(&mut self, begins: u64) -> io::Result<RecordingLine> {
        self.file.seek(SeekFrom::Start(begins))?;
        let mut text = Vec::new();
        self.file.read_until(b'\n', &mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }

    fn message(&mut self, id: SharedId) -> Option<Value> {
        match self.line(*self.messages.get(&id)?) {
            Ok(RecordingLine::Message(message)) => Some(message.value),
            _ => None,
        }
    }

    /// A missing reference stays in the line.
    fn resolve(&mut self, line: &mut DispatchLine) -> Result<(), MissingReference> {
        line.resolve(&mut |id| self.message(id))
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
