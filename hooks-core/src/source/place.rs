//! A place in a file that the app wrote.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A place in a file that names hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file, as it was opened or named.
    pub file: Arc<Path>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of byte `offset` within `text`.
    pub(crate) fn of(file: &Arc<Path>, text: &str, offset: usize) -> Self {
        Places::new(file, text).at(offset)
    }
}

/// The places of many bytes of one text, which is read once as long as they ascend: a list may be long, and all of it in
/// one line.
pub(crate) struct Places<'a> {
    file: &'a Arc<Path>,
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    pub(crate) fn new(file: &'a Arc<Path>, text: &'a str) -> Self {
        Self { file, text, offset: 0, line: 1, column: 1 }
    }

    /// The place of byte `offset`, or of the character that it is a part of.
    pub(crate) fn at(&mut self, offset: usize) -> Place {
        if offset < self.offset {
            *self = Self::new(self.file, self.text);
        }
        let rest = self.text.get(self.offset..).unwrap_or_default().char_indices();
        let from = self.offset;
        for (at, c) in rest.take_while(|(at, c)| from + at + c.len_utf8() <= offset) {
            (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
            self.offset = from + at + c.len_utf8();
        }
        Place { file: Arc::clone(self.file), line: self.line, column: self.column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
