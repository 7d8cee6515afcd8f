//! Reading a recording, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::line::{Line, SCHEMA};
use crate::lines::{Lines, Unreadable};

/// The lines of a recording.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    /// Whether a header of a later schema was read, after which nothing can be.
    unknown: bool,
}

impl Reader<BufReader<File>> {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> std::io::Result<Self> {
        Ok(Self::new(BufReader::new(File::open(path)?)))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads lines from `input`.
    pub fn new(input: R) -> Self {
        Self { lines: Lines::new(input), unknown: false }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    /// The number of the line, from 1, and what is there.
    type Item = (usize, Result<Line, Unreadable>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.unknown {
            return None;
        }
        let (line, text) = self.lines.next()?;
        let read = text.and_then(|text| parse(line, &text));
        self.unknown = matches!(read, Err(Unreadable::Schema { .. }));
        Some((line, read))
    }
}

fn parse(line: usize, text: &[u8]) -> Result<Line, Unreadable> {
    // Nearly all lines are dispatches, and serde reads them in half the time where it need not look for the sort of line.
    let read = if text.starts_with(br#"{"line":"dispatch","#) {
        serde_json::from_slice(text).map(Line::Dispatch)
    } else {
        serde_json::from_slice(text)
    };
    match read {
        Ok(Line::Header(header)) if header.schema > SCHEMA => Err(Unreadable::Schema { line, schema: header.schema }),
        Ok(read) => Ok(read),
        Err(error) => Err(match schema_of(text) {
            Some(schema) if schema > SCHEMA => Unreadable::Schema { line, schema },
            _ => Unreadable::of(line, text, error),
        }),
    }
}

/// The schema that a header names, whatever else is in it.
fn schema_of(text: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    serde_json::from_slice::<Version>(text).ok().map(|version| version.schema)
}
