//! Defects of a file: the problem, its position, and a suggestion.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// The severity of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// The rules run as written, and could be safer.
    Hint,
    /// The rules run, but perhaps not as intended.
    Warning,
    /// The marked part does not run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A defect of a rule file. It displays with an excerpt of the line and a mark:
///
/// ```text
/// error: a rule of the type `command` needs a `command`
///  --> .claude/settings.json:4:9
///   |
/// 4 |         { "type": "command" }
///   |         ^^^^^^^^^^^^^^^^^^^^^
///   = help: write `"command": "./check.sh"`
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Defect {
    /// The severity.
    pub severity: Severity,
    /// The problem.
    pub problem: String,
    /// The suggestion.
    pub help: String,
    /// The file.
    pub file: Arc<Path>,
    /// The line, starting at 1. 0 if the file could not be read.
    pub line: usize,
    /// The column in characters, starting at 1. 0 if the file could not be read.
    pub column: usize,
    /// The marked line, truncated if it is long.
    #[serde(skip)]
    excerpt: String,
    /// The start and length of the mark within the excerpt, in characters.
    #[serde(skip)]
    mark: (usize, usize),
}

/// A defect before its position was converted to line and column.
#[derive(Clone, Debug)]
pub(crate) struct Flaw {
    severity: Severity,
    span: Range<usize>,
    problem: String,
    help: String,
}

impl Flaw {
    pub(crate) fn error(span: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, problem: short(problem.into()), help: short(help.into()) }
    }

    pub(crate) fn warning(span: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, problem, help) }
    }
}

/// Truncates a message that quotes a long part of the file.
fn short(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(QUOTED) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The flaws of a file. Only the first ones of each severity are kept; the others are counted.
#[derive(Debug, Default)]
pub(crate) struct Flaws {
    kept: Vec<Flaw>,
    errors: usize,
    warnings: usize,
}

impl Flaws {
    #[cfg(feature = "runner")]
    pub(crate) fn is_empty(&self) -> bool {
        self.errors + self.warnings == 0
    }

    pub(crate) fn push(&mut self, flaw: Flaw) {
        let count = if flaw.severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        *count += 1;
        if *count <= MOST {
            self.kept.push(flaw);
        }
    }

    /// The number of errors.
    pub(crate) fn costly(&self) -> usize {
        self.errors
    }

    /// Whether another warning would not be reported, so that it need not be created.
    pub(crate) fn enough_warnings(&self) -> bool {
        self.warnings >= MOST
    }
}

/// The maximum number of reported defects per file.
const MOST: usize = 100;

/// The maximum number of characters of an excerpt.
const SHOWN: usize = 100;

/// The maximum number of characters of a message.
const QUOTED: usize = 400;

impl Defect {
    /// A defect of the whole file, such as a read error.
    pub(crate) fn of_file(file: &Arc<Path>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            problem: problem.into(),
            help: help.into(),
            file: Arc::clone(file),
            line: 0,
            column: 0,
            excerpt: String::new(),
            mark: (0, 0),
        }
    }

    /// A defect of a rule that is not visible in its text.
    #[cfg(feature = "runner")]
    pub(crate) fn of_rule(file: &Arc<Path>, line: usize, column: usize, problem: String, help: &str) -> Self {
        Self { line, column, ..Self::of_file(file, problem, help) }
    }

    /// The same with the severity [`Warning`](Severity::Warning).
    #[cfg(feature = "runner")]
    pub(crate) fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// The same with the severity [`Hint`](Severity::Hint).
    #[cfg(feature = "runner")]
    pub(crate) fn hint(self) -> Self {
        Self { severity: Severity::Hint, ..self }
    }

    /// Converts flaws to defects with line and column, in the order of the text. If there are many, only the first are
    /// reported, errors before warnings.
    pub(crate) fn place(file: &Arc<Path>, text: &str, lines: &Lines, flaws: Flaws) -> Vec<Self> {
        let Flaws { mut kept, errors, warnings } = flaws;
        let more = (errors + warnings).saturating_sub(MOST);
        if more > 0 {
            kept.sort_by_key(|flaw| (std::cmp::Reverse(flaw.severity), flaw.span.start));
            kept.truncate(MOST);
        }
        kept.sort_by_key(|flaw| flaw.span.start);
        let mut defects: Vec<_> = kept.into_iter().map(|flaw| Self::at(file, text, lines, flaw)).collect();
        if more > 0 {
            // If only warnings are omitted, the note about them is a warning.
            let severity = if errors > MOST { Severity::Error } else { Severity::Warning };
            let rest = Self::of_file(file, format!("{more} more defects are not shown"), "fix the first ones");
            defects.push(Self { severity, ..rest });
        }
        defects
    }

    fn at(file: &Arc<Path>, text: &str, lines: &Lines, flaw: Flaw) -> Self {
        let (line, column) = lines.place(text, flaw.span.start);
        let full = lines.text(text, line);
        let spanned = text.get(flaw.span.clone()).unwrap_or_default();
        let length = spanned.lines().next().unwrap_or_default().chars().take(SHOWN).count().max(1);
        // Of a long line, show the part around the mark.
        let long = full.chars().nth(SHOWN).is_some();
        let from = if long { (column - 1).saturating_sub(SHOWN / 2) } else { 0 };
        let excerpt: String = full.chars().skip(from).take(SHOWN).collect();
        let start = column - 1 - from;
        let length = length.min(excerpt.chars().count().saturating_sub(start).max(1));
        Self {
            severity: flaw.severity,
            problem: flaw.problem,
            help: flaw.help,
            file: Arc::clone(file),
            line,
            column,
            excerpt: excerpt.replace('\t', " "),
            mark: (start, length),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.severity, self.problem)?;
        if self.excerpt.is_empty() {
            let place = if self.line == 0 { String::new() } else { format!(":{}:{}", self.line, self.column) };
            return write!(f, " --> {}{place}\n  = help: {}", self.file.display(), self.help);
        }
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let mark = format!("{}{}", " ".repeat(self.mark.0), "^".repeat(self.mark.1));
        writeln!(f, "{gutter}--> {}:{}:{}", self.file.display(), self.line, self.column)?;
        writeln!(f, "{gutter} |\n{number} | {}\n{gutter} | {mark}", self.excerpt)?;
        write!(f, "{gutter} = help: {}", self.help)
    }
}

impl std::error::Error for Defect {}

/// An index of the lines of a text and of character offsets, so that positions in a large file are computed in one
/// pass, even if the file is a single line.
pub(crate) struct Lines {
    starts: Vec<usize>,
    /// The number of characters before the bytes 0, `STRIDE`, 2 × `STRIDE` and so on.
    characters: Vec<usize>,
}

/// The distance of indexed offsets in bytes.
const STRIDE: usize = 1 << 10;

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let counts = text.as_bytes().chunks(STRIDE).map(begun).scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        Self {
            starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(),
            characters: std::iter::once(0).chain(counts).collect(),
        }
    }

    /// A line without its line ending. Lines start at 1.
    fn text<'a>(&self, text: &'a str, line: usize) -> &'a str {
        let rest = text.get(self.starts[line - 1]..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim_start_matches('\u{feff}')
    }

    /// The line and column of a byte, both starting at 1.
    pub(crate) fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let marks = text.get(start..offset).unwrap_or_default();
        let marks = marks.chars().take_while(|c| *c == '\u{feff}').count();
        (line, self.before(text, offset) - self.before(text, start) - marks + 1)
    }

    /// The number of characters before a byte.
    fn before(&self, text: &str, offset: usize) -> usize {
        let stride = offset / STRIDE;
        self.characters[stride] + begun(&text.as_bytes()[stride * STRIDE..offset])
    }
}

/// The number of characters that begin in these bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}
