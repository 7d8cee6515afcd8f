//! What is wrong with a file, where, and what to write instead.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// Whether a defect costs a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// The rules run, perhaps not as meant.
    Warning,
    /// What is marked does not run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One thing that is wrong with a file of rules. Its `Display` shows the line with the place marked:
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
    /// Whether it costs a rule.
    pub severity: Severity,
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub help: String,
    /// The file.
    pub file: Arc<Path>,
    /// The line, from 1; 0 where the file could not be read.
    pub line: usize,
    /// The column in characters, from 1; 0 where the file could not be read.
    pub column: usize,
    /// The marked line, cut where it is long.
    #[serde(skip)]
    excerpt: String,
    /// How far into the excerpt the mark begins, and how long it is, in characters.
    #[serde(skip)]
    mark: (usize, usize),
}

/// A defect before its place is known by line and column.
#[derive(Clone, Debug)]
pub(crate) struct Flaw {
    severity: Severity,
    span: Range<usize>,
    problem: String,
    help: String,
}

impl Flaw {
    pub(super) fn error(span: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, problem: problem.into(), help: help.into() }
    }

    /// Whether what is marked does not run.
    pub(super) fn costs(&self) -> bool {
        self.severity == Severity::Error
    }

    pub(super) fn warning(span: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, problem, help) }
    }
}

/// How many defects of one file are told.
const TOLD: usize = 100;

/// How many characters of a line are shown.
const SHOWN: usize = 100;

impl Defect {
    /// A defect of the whole file, such as one that cannot be read.
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

    /// A defect of a rule that its text does not show.
    #[cfg(feature = "runner")]
    pub(crate) fn of_rule(file: &Arc<Path>, line: usize, column: usize, problem: String, help: &str) -> Self {
        Self { line, column, ..Self::of_file(file, problem, help) }
    }

    /// The flaws with their lines and columns, in the order of the text. Of very many only the first are told, the
    /// costly ones before the others.
    pub(crate) fn place(file: &Arc<Path>, text: &str, lines: &Lines, mut flaws: Vec<Flaw>) -> Vec<Self> {
        let more = flaws.len().saturating_sub(TOLD);
        if more > 0 {
            flaws.sort_by_key(|flaw| (std::cmp::Reverse(flaw.severity), flaw.span.start));
            flaws.truncate(TOLD);
        }
        flaws.sort_by_key(|flaw| flaw.span.start);
        let mut told: Vec<_> = flaws.into_iter().map(|flaw| Self::at(file, text, lines, flaw)).collect();
        if more > 0 {
            told.push(Self::of_file(file, format!("{more} more defects are not shown"), "mend the first ones"));
        }
        told
    }

    fn at(file: &Arc<Path>, text: &str, lines: &Lines, flaw: Flaw) -> Self {
        let (line, column) = lines.place(text, flaw.span.start);
        let full = lines.text(text, line);
        let spanned = text.get(flaw.span.clone()).unwrap_or_default();
        let length = spanned.lines().next().unwrap_or_default().chars().take(SHOWN).count().max(1);
        // Only a part of a long line is shown, and the mark within it.
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

/// Where the lines of a text begin, so that a large file with many flaws is walked once.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Self(
            std::iter::once(0)
                .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
                .collect(),
        )
    }

    /// A line without its end, from 1.
    fn text<'a>(&self, text: &'a str, line: usize) -> &'a str {
        let rest = text.get(self.0[line - 1]..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim_start_matches('\u{feff}')
    }

    /// Line and column of a byte, both from 1.
    pub(crate) fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let before = text.get(self.0[line - 1]..offset).unwrap_or_default();
        (line, before.trim_start_matches('\u{feff}').chars().count() + 1)
    }
}
