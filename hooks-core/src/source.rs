//! Positions in source files and definition files.

use std::any::TypeId;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// The position of a hook, kind or plugin in the source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// The source file, as reported by the compiler.
    pub file: &'static str,
    /// The line, starting at 1.
    pub line: u32,
    /// The module path.
    pub module: &'static str,
}

impl Origin {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn new(file: &'static str, line: u32, module: &'static str) -> Self {
        Self { file, line, module }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The type of a function, or of a group, and its path, which is the same in every copy of a crate.
pub(crate) type Item = (TypeId, &'static str);

/// The type and path of an item.
pub fn type_of<F: 'static>(_: &F) -> Item {
    (TypeId::of::<F>(), std::any::type_name::<F>())
}

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

/// Computes the positions of many offsets in one text. It knows where each line begins, and within a line it goes on from
/// the last offset, which matters for a long list on one line.
pub(crate) struct Places<'a> {
    file: &'a Arc<Path>,
    text: &'a str,
    lines: Vec<usize>,
    last: (usize, usize, usize),
}

impl<'a> Places<'a> {
    pub(crate) fn new(file: &'a Arc<Path>, text: &'a str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1)).collect();
        Self { file, text, lines, last: (1, 0, 1) }
    }

    /// The position of byte `offset`, or of the character that contains it.
    pub(crate) fn at(&mut self, offset: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let (last_line, mut from, mut column) = self.last;
        if line != last_line || offset < from {
            (from, column) = (self.lines[line - 1], 1);
        }
        let rest = self.text.get(from..).unwrap_or_default();
        let before = rest.chars().scan(from, |end, c| {
            *end += c.len_utf8();
            (*end <= offset).then_some(*end)
        });
        for end in before {
            (from, column) = (end, column + 1);
        }
        self.last = (line, from, column);
        Place { file: Arc::clone(self.file), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
