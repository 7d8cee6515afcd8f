//! Positions in definition files.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A position in a definition file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The path of the file, as it was passed.
    pub file: Arc<Path>,
    /// The line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
}

impl Place {
    /// The position of byte `offset` in `text`.
    pub(crate) fn of(file: &Arc<Path>, text: &str, offset: usize) -> Self {
        Places::new(file, text).at(offset)
    }
}

/// Computes the positions of many offsets in one text. If the offsets ascend, it scans the text once, which matters for
/// a long list on one line.
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

    /// The position of byte `offset`, or of the character that contains it.
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
