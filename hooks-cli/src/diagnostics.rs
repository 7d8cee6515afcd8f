use std::fmt;
use std::path::Path;

use hooks_rules::{Defect, Severity};
use serde::Serialize;

/// A defect of a file, or the error of reading it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Diagnostic {
    pub(crate) severity: Severity,
    pub(crate) problem: String,
    pub(crate) help: String,
    /// As text, because a path that is not UTF-8 cannot be written as JSON.
    pub(crate) file: String,
    /// Starts at 1. 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The text for a person.
    #[serde(skip)]
    shown: String,
}

impl Diagnostic {
    /// An error of the whole file.
    pub(crate) fn of_file(file: &Path, problem: impl Into<String>, help: impl Into<String>) -> Self {
        let (problem, help) = (problem.into(), help.into());
        let shown = format!("error: {problem}\n --> {}\n  = help: {help}", file.display());
        Self {
            severity: Severity::Error,
            problem,
            help,
            file: file.to_string_lossy().into_owned(),
            line: 0,
            column: 0,
            shown,
        }
    }

    /// The same as a warning.
    pub(crate) fn warning(self) -> Self {
        let shown = self.shown.replacen("error", "warning", 1);
        Self { severity: Severity::Warning, shown, ..self }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub(crate) fn is_warning(&self) -> bool {
        self.severity == Severity::Warning
    }

    /// The place, the problem and the help.
    pub(crate) fn on_a_line(&self) -> String {
        let Self { file, line, problem, help, .. } = self;
        let place = if *line == 0 { file.clone() } else { format!("{file}:{line}") };
        format!("{place}: {problem}; {help}")
    }
}

impl From<Defect> for Diagnostic {
    fn from(defect: Defect) -> Self {
        let shown = defect.to_string();
        Self {
            severity: defect.severity,
            problem: defect.problem,
            help: defect.help,
            file: defect.file.to_string_lossy().into_owned(),
            line: defect.line,
            column: defect.column,
            shown,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::style::defect(&self.shown))
    }
}

/// All diagnostics, separated by blank lines.
pub(crate) fn all(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
