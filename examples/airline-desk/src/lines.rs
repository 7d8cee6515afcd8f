//! Reads the lines of a file with arbitrary content. A line that is too long or not UTF-8 is reported and skipped.

use std::io::{self, BufRead, Read};

/// The maximum length of a line in bytes.
pub const LONGEST: usize = 64 * 1024 * 1024;

/// Why a line could not be read as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is longer than the limit. The rest was discarded.
    #[error("is longer than {limit} bytes; one conversation per line, please")]
    #[non_exhaustive]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It is not UTF-8.
    #[error("is not UTF-8 from byte {from} on; save the file as UTF-8")]
    #[non_exhaustive]
    NotUtf8 {
        /// The position of the first invalid byte, starting at 1.
        from: usize,
    },
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Its number, starting at 1.
    pub number: u64,
    /// The offset of its end in the file.
    pub end: u64,
    /// The text without its line break, or why it cannot be read.
    pub text: Result<String, LineError>,
}

/// The non-empty lines of a reader. Iteration ends after an I/O error.
///
/// ```
/// let texts = airline_desk::lines::Lines::new("a\n\nb".as_bytes()).map(|line| line.map(|line| (line.number, line.text)));
/// let texts: Vec<_> = texts.collect::<std::io::Result<_>>()?;
/// assert_eq!(texts, [(1, Ok("a".to_owned())), (3, Ok("b".to_owned()))]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    limit: usize,
    number: u64,
    end: u64,
    done: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`, with the limit [`LONGEST`].
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, LONGEST)
    }

    /// The lines of `reader`, with a limit in bytes.
    pub fn with_limit(reader: R, limit: usize) -> Self {
        Self { reader, limit, number: 0, end: 0, done: false }
    }

    /// Reads up to the next line break. `None` at the end of the file.
    fn next_bytes(&mut self) -> io::Result<Option<Result<Vec<u8>, LineError>>> {
        let mut line = Vec::new();
        // One more byte than the limit, for the line break.
        let mut read = Read::take(&mut self.reader, self.limit as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        let too_long = line.len() > self.limit;
        if too_long {
            // Discard the rest of the line to find the next one.
            read += self.reader.skip_until(b'\n')?;
        }
        self.number += 1;
        self.end += read as u64;
        Ok(Some(if too_long { Err(LineError::TooLong { limit: self.limit }) } else { Ok(line) }))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let text = match self.next_bytes() {
                Ok(Some(bytes)) => bytes.and_then(to_text),
                Ok(None) => break,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            };
            let text = text.map(|text| if self.number == 1 { without_mark(text) } else { text });
            if !matches!(&text, Ok(text) if text.trim().is_empty()) {
                return Some(Ok(Line { number: self.number, end: self.end, text }));
            }
        }
        self.done = true;
        None
    }
}

fn to_text(bytes: Vec<u8>) -> Result<String, LineError> {
    String::from_utf8(bytes).map_err(|error| LineError::NotUtf8 { from: error.utf8_error().valid_up_to() + 1 })
}

/// Some editors write a byte order mark at the beginning of a file.
fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_the_limit_does_not_affect_the_others() {
        let file = b"one\n0123456789\ntwo\r\n\xff\xfe\n   \nthree";
        // A small buffer, so that the long line is read in several parts.
        let reader = io::BufReader::with_capacity(3, file.as_slice());
        let lines: Vec<Line> = Lines::with_limit(reader, 8).collect::<io::Result<_>>().unwrap();
        let read: Vec<_> = lines.iter().map(|line| (line.number, line.text.clone())).collect();
        assert_eq!(
            read,
            [
                (1, Ok("one".to_owned())),
                (2, Err(LineError::TooLong { limit: 8 })),
                (3, Ok("two\r".to_owned())),
                (4, Err(LineError::NotUtf8 { from: 1 })),
                (6, Ok("three".to_owned())),
            ]
        );
        assert_eq!(lines.last().map(|line| line.end), Some(file.len() as u64));
    }
}
