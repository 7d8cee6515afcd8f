//! The lines of a file, one at a time: a file of a gigabyte is never in memory as a whole.

use std::io::{BufRead, Read};

use crate::line::SCHEMA;
use crate::refs::Missing;

/// The longest line that is kept, in bytes.
pub(crate) const LONGEST: u64 = 64 << 20;

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
    /// The line is longer than any that is read.
    #[error("line {line} is longer than {LONGEST} bytes; it was left out")]
    TooLong {
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
    /// The line refers to a message or a value that no line before it has.
    #[error("line {line}: {missing}")]
    Missing {
        /// Its number, from 1.
        line: usize,
        /// What is not there.
        missing: Missing,
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

/// The lines that are not blank, each with its number, from 1, and its end.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    number: usize,
    /// Whether the input could not be read on: what fails once fails again.
    failed: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, number: 0, failed: false }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = (usize, Result<Vec<u8>, Unreadable>);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            let mut text = Vec::new();
            self.number += 1;
            let line = self.number;
            match read_line(&mut self.input, &mut text) {
                Ok(0) => return None,
                Ok(read) if read > LONGEST => return Some((line, Err(Unreadable::TooLong { line }))),
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => return Some((line, Ok(text))),
                Err(error) => {
                    self.failed = true;
                    return Some((line, Err(Unreadable::Io { line, error })));
                }
            }
        }
        None
    }
}

/// Reads a line into `text`, and how long it is. Of one that is longer than [`LONGEST`] the rest is read past.
pub(crate) fn read_line(input: &mut impl BufRead, text: &mut Vec<u8>) -> std::io::Result<u64> {
    let read = Read::take(&mut *input, LONGEST).read_until(b'\n', text)? as u64;
    if read < LONGEST || text.ends_with(b"\n") {
        return Ok(read);
    }
    Ok(read + input.skip_until(b'\n')? as u64)
}

impl Unreadable {
    /// Why this line is none: it has no end, or another form.
    pub(crate) fn of(line: usize, text: &[u8], error: serde_json::Error) -> Self {
        if text.ends_with(b"\n") { Self::Form { line, error } } else { Self::Torn { line } }
    }
}
