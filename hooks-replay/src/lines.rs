//! Reads a file line by line, without loading it into memory.

use std::io::{BufRead, Read};

use crate::line::SCHEMA;
use crate::refs::MissingReference;

/// The maximum length of a line in bytes.
pub(crate) const LONGEST: u64 = 64 << 20;

/// A line that cannot be read. The rest of the file is read nevertheless.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// Reading from the file failed.
    #[error("line {line}: {error}")]
    Io {
        /// The line number, starting at 1.
        line: usize,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The last line is incomplete: the program ended while writing it.
    #[error("line {line} is incomplete: the program ended while writing it")]
    Torn {
        /// The line number, starting at 1.
        line: usize,
    },
    /// The line exceeds the maximum length.
    #[error("line {line} is longer than {LONGEST} bytes; it was skipped")]
    TooLong {
        /// The line number, starting at 1.
        line: usize,
    },
    /// The line is not JSON, or not in the format of a recording.
    #[error("line {line} is not a line of a recording: {error}")]
    Form {
        /// The line number, starting at 1.
        line: usize,
        /// The error of the parser.
        error: serde_json::Error,
    },
    /// The line refers to a message or a value that no earlier line contains.
    #[error("line {line}: {missing}")]
    Missing {
        /// The line number, starting at 1.
        line: usize,
        /// The missing reference.
        missing: MissingReference,
    },
    /// The line is one of a recording, in a file that does not begin as one.
    #[error(
        "line {line} is one of a recording, but the file begins with other lines; move them to a file of their own"
    )]
    Mixed {
        /// The line number, starting at 1.
        line: usize,
    },
    /// The file is no traffic.
    #[error(
        "the file does not have one JSON object per line, as recordings and transcripts have; name a rule file with \
         `--rules`"
    )]
    NotLines,
    /// The file is a JSON array.
    #[error(
        "the file is a JSON array, and recordings and transcripts have one JSON object per line; write its items as lines, \
         for example with `jq -c '.[]'`"
    )]
    Array,
    /// The lines from this one on, up to the header of another recording, have a format that this version does not support.
    #[error(
        "line {line}: the recording has schema {schema}, and this version reads up to {SCHEMA}, so {lines} lines were left \
         out; update `hooks-replay`"
    )]
    Schema {
        /// The line number, starting at 1.
        line: usize,
        /// The format version of the file.
        schema: u32,
        /// The number of these lines.
        lines: usize,
    },
}

const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";

/// The usual length of a line, so that few lines are moved while they are read.
const USUAL: usize = 2 << 10;

/// The non-empty lines, each with its number, starting at 1, and its line ending.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    number: usize,
    /// Where the latest line begins and ends, in bytes.
    pub(crate) begins: u64,
    ends: u64,
    /// Whether reading has failed: errors are not retried.
    failed: bool,
    /// The line that ended [`skip_to`](Self::skip_to).
    found: Option<(usize, Vec<u8>)>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, number: 0, begins: 0, ends: 0, failed: false, found: None }
    }

    /// Goes to the next line for which this is true. Returns the number of lines before it.
    pub(crate) fn skip_to(&mut self, is_it: impl Fn(&[u8]) -> bool) -> usize {
        let mut skipped = 0;
        while let Some((number, read)) = self.next() {
            match read {
                Ok(text) if is_it(&text) => {
                    self.found = Some((number, text));
                    break;
                }
                _ => skipped += 1,
            }
        }
        skipped
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = (usize, Result<Vec<u8>, LineError>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((number, text)) = self.found.take() {
            return Some((number, Ok(text)));
        }
        while !self.failed {
            let mut text = Vec::with_capacity(USUAL);
            self.number += 1;
            let line = self.number;
            let read = read_line(&mut self.input, &mut text);
            (self.begins, self.ends) = (self.ends, self.ends + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return None,
                Ok(read) if read > LONGEST => return Some((line, Err(LineError::TooLong { line }))),
                Ok(_) if line == 1 && without_mark(&text).len() < text.len() => {
                    let text = without_mark(&text).to_vec();
                    self.begins = self.ends - text.len() as u64;
                    return Some((line, Ok(text)));
                }
                Ok(_) if text.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => return Some((line, Ok(text))),
                Err(error) => {
                    self.failed = true;
                    return Some((line, Err(LineError::Io { line, error })));
                }
            }
        }
        None
    }
}

/// The first line without the mark of the byte order, with which some editors begin a file.
pub(crate) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER).unwrap_or(line)
}

/// Reads a line into `text` and returns its length. The part of a line after [`LONGEST`] bytes is discarded.
pub(crate) fn read_line(input: &mut impl BufRead, text: &mut Vec<u8>) -> std::io::Result<u64> {
    let read = Read::take(&mut *input, LONGEST).read_until(b'\n', text)? as u64;
    if read < LONGEST || text.ends_with(b"\n") {
        return Ok(read);
    }
    Ok(read + input.skip_until(b'\n')? as u64)
}

impl LineError {
    /// Why this line is invalid: it is incomplete, or has another format.
    pub(crate) fn of(line: usize, text: &[u8], error: serde_json::Error) -> Self {
        if text.ends_with(b"\n") { Self::Form { line, error } } else { Self::Torn { line } }
    }
}
