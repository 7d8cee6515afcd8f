//! Reads a recording line by line.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::line::{RecordingLine, SCHEMA};
use crate::lines::{LineError, Lines};
use crate::refs::{self, SharedId, Window};

/// The lines of a recording, with references to messages and values resolved.
#[derive(Debug)]
pub struct Reader<R> {
    entries: Entries<R>,
    messages: Window<Value>,
}

impl Reader<BufReader<File>> {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> std::io::Result<Self> {
        Ok(Self::new(BufReader::new(File::open(path)?)))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads lines from `input`.
    pub fn new(input: R) -> Self {
        Self { entries: Entries::new(input), messages: Window::new() }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    /// The line number, starting at 1, and the line.
    type Item = (usize, Result<RecordingLine, LineError>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, entry) = self.entries.next()?;
            let mut line = match entry {
                Ok(RecordingLine::Message(message)) => {
                    self.messages.insert(message.id, message.value);
                    continue;
                }
                Ok(line) => line,
                Err(error) => return Some((number, Err(error))),
            };
            let messages = &mut self.messages;
            let whole = line.resolve(&mut |id| {
                messages.touch(id);
                messages.get(id).cloned()
            });
            messages.next_line();
            return Some((
                number,
                whole.map(|()| line).map_err(|missing| LineError::Missing { line: number, missing }),
            ));
        }
    }
}

/// What is missing in recordings, so that numbers about them are too low.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Gaps {
    /// The number of lines that could not be read.
    pub unreadable: usize,
    /// The number of lines of recordings that a later version wrote.
    pub later: usize,
    /// The number of lines that the recorder dropped, because it was too slow or its disk was full.
    pub dropped: u64,
    /// The number of turns that were not recorded to their end, because they reached the size limit.
    pub full: usize,
}

impl Gaps {
    /// Counts what a reader read, if it is a gap.
    pub fn note(&mut self, read: &Result<RecordingLine, LineError>) {
        match read {
            Ok(RecordingLine::Dropped { count }) => self.dropped = self.dropped.saturating_add(*count),
            Ok(RecordingLine::Full { .. }) => self.full += 1,
            Ok(_) => {}
            Err(LineError::Schema { lines, .. }) => self.later += lines,
            Err(_) => self.unreadable += 1,
        }
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unreadable: lines, later, dropped, full } = *self;
        let plural = |is_one: bool| if is_one { "" } else { "s" };
        if lines > 0 {
            writeln!(f, "{lines} line{} left out: they cannot be read", plural(lines == 1))?;
        }
        if later > 0 {
            writeln!(
                f,
                "{later} line{} left out: a later version wrote them; update this program",
                plural(later == 1)
            )?;
        }
        if dropped > 0 {
            writeln!(
                f,
                "{dropped} line{} left out: the recorder was too slow, or its disk was full",
                plural(dropped == 1)
            )?;
        }
        if full > 0 {
            writeln!(f, "{full} turn{} recorded in part: the recorder has a size limit", plural(full == 1))?;
        }
        Ok(())
    }
}

/// The lines of a recording with long values resolved, but with references to messages.
#[derive(Debug)]
pub(crate) struct Entries<R> {
    lines: Lines<R>,
    values: Window<Value>,
}

impl<R: BufRead> Entries<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { lines: Lines::new(input), values: Window::new() }
    }
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = (usize, Result<RecordingLine, LineError>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, text) = self.lines.next()?;
            let values = &mut self.values;
            let mut find = |id| {
                values.touch(id);
                values.get(id).cloned()
            };
            match text.and_then(|text| parse(number, &text, &mut find)) {
                Ok(RecordingLine::Value(value)) => values.insert(value.id, value.value),
                mut read => {
                    if !matches!(read, Ok(RecordingLine::Message(_))) {
                        values.next_line();
                    }
                    if let Err(error) = &mut read {
                        skip_later(error, &mut self.lines);
                    }
                    return Some((number, read));
                }
            }
        }
    }
}

/// Leaves out the rest of a recording that a later version wrote, if that is the error, and counts its lines.
pub(crate) fn skip_later(error: &mut LineError, rest: &mut Lines<impl BufRead>) {
    if let LineError::Schema { lines, .. } = error {
        let is_known = |text: &[u8]| schema_of(text).is_some_and(|schema| schema <= SCHEMA);
        *lines += rest.skip_to(|text| tag(text) == Some(b"header") && is_known(text));
    }
}

/// Parses a line. `value` finds the long values that it refers to.
pub(crate) fn parse(
    number: usize,
    text: &[u8],
    value: &mut dyn FnMut(SharedId) -> Option<Value>,
) -> Result<RecordingLine, LineError> {
    // The recorder writes the tag first. Without a search for it, serde parses a line twice as fast.
    let read = match tag(text) {
        Some(b"dispatch") => serde_json::from_slice(text).map(RecordingLine::Dispatch),
        Some(b"turn") => serde_json::from_slice(text).map(RecordingLine::Turn),
        Some(b"message") => serde_json::from_slice(text).map(RecordingLine::Message),
        Some(b"value") => serde_json::from_slice(text).map(RecordingLine::Value),
        _ => serde_json::from_slice(text),
    };
    match read {
        Ok(RecordingLine::Header(header)) if header.schema > SCHEMA => {
            Err(LineError::Schema { line: number, schema: header.schema, lines: 1 })
        }
        Ok(mut line) => {
            let mut missing = Ok(());
            line.each_value(&mut |said| missing = missing.and(refs::expand(said, value)));
            missing.map(|()| line).map_err(|missing| LineError::Missing { line: number, missing })
        }
        Err(error) => Err(match schema_of(text) {
            Some(schema) if schema > SCHEMA => LineError::Schema { line: number, schema, lines: 1 },
            _ => LineError::of(number, text, error),
        }),
    }
}

/// The tag of a line, if it is the first field.
fn tag(text: &[u8]) -> Option<&[u8]> {
    let tagged = text.strip_prefix(br#"{"line":""#)?;
    tagged.split(|byte| *byte == b'"').next()
}

/// The format version in a header, whatever else it contains.
fn schema_of(text: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    serde_json::from_slice::<Version>(text).ok().map(|version| version.schema)
}
