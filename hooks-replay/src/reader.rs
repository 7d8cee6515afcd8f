//! Reading a recording, line by line: one of a gigabyte is never in memory as a whole.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::line::{Header, Line, SCHEMA};

/// A line that is no line of a recording. The rest of the file is read all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The file could not be read on.
    #[error("line {line}: {error}")]
    Io {
        /// Its number, from 1.
        line: usize,
        /// What happened.
        error: std::io::Error,
    },
    /// The last line has no end: the program ended while it was written.
    #[error("line {line} has no end: the program ended while it was written")]
    Torn {
        /// Its number, from 1.
        line: usize,
    },
    /// The line is not JSON, or has another form.
    #[error("line {line} is no line of a recording: {error}")]
    Form {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The lines after this one were written in a form that this version does not know.
    #[error(
        "line {line}: the recording has schema {schema}, and this version reads up to {SCHEMA}; update `hooks-replay`"
    )]
    Schema {
        /// Its number, from 1.
        line: usize,
        /// The schema of the file.
        schema: u32,
    },
}

/// The lines of a recording.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    number: usize,
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
        Self { input, number: 0, unknown: false }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    /// The number of the line, from 1, and what is there.
    type Item = (usize, Result<Line, Unreadable>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.unknown {
            return None;
        }
        loop {
            let mut text = Vec::new();
            self.number += 1;
            let line = self.number;
            match self.input.read_until(b'\n', &mut text) {
                Ok(0) => return None,
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => continue,
                Ok(_) => {}
                Err(error) => {
                    self.unknown = true;
                    return Some((line, Err(Unreadable::Io { line, error })));
                }
            }
            let is_whole = text.ends_with(b"\n");
            let read = match serde_json::from_slice::<Line>(&text) {
                Ok(Line::Header(Header { schema, .. })) if schema > SCHEMA => {
                    self.unknown = true;
                    Err(Unreadable::Schema { line, schema })
                }
                Ok(read) => Ok(read),
                Err(error) => match schema_of(&text) {
                    Some(schema) if schema > SCHEMA => {
                        self.unknown = true;
                        Err(Unreadable::Schema { line, schema })
                    }
                    _ if !is_whole => Err(Unreadable::Torn { line }),
                    _ => Err(Unreadable::Form { line, error }),
                },
            };
            return Some((line, read));
        }
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
