use std::io::{self, Write};

use serde_json::Value;

use crate::args::Color;
use crate::exit::Exit;
use crate::style::without_control;

/// The output of a command, and the exit status. The texts contain colours, which [`write`](Self::write) removes if the
/// output is not a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "write it, and end with its exit status"]
pub struct Output {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// The exit status.
    pub exit: Exit,
}

/// Formats a report as JSON. Its keys are sorted, whatever features other crates enable for maps.
pub(crate) fn json(mut report: Value) -> String {
    report.sort_all_objects();
    format!("{report:#}")
}

impl Output {
    pub(crate) fn new(out: impl Into<String>, exit: Exit) -> Self {
        Self { out: out.into(), err: String::new(), exit }
    }

    /// An error message.
    pub(crate) fn trouble(text: impl Into<String>, exit: Exit) -> Self {
        Self { out: String::new(), err: text.into(), exit }
    }

    /// Adds the error as JSON to standard output.
    pub(crate) fn with_error_json(mut self) -> Self {
        let message = anstream::adapter::strip_str(&self.err).to_string();
        let message = message.trim();
        // The key says that it is an error.
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let report = serde_json::json!({ "version": 1, "error": message, "exit_status": self.exit.code() });
        self.out = json(report);
        self
    }

    pub(crate) fn and_err(mut self, text: &str) -> Self {
        self.err.push_str(text);
        self
    }

    /// Writes both texts, and returns the exit status. A closed pipe is not an error: the status does not change.
    pub fn write(&self, color: Color) -> Exit {
        let choice = color.into();
        let mut out = anstream::AutoStream::new(io::stdout(), choice);
        let written = put(&mut out, &self.out).and_then(|()| out.flush());
        // An error on standard error cannot be reported anywhere.
        let mut err = anstream::AutoStream::new(io::stderr(), choice);
        let _ = put(&mut err, &self.err);
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = put(&mut err, &format!("error: standard output cannot be written: {error}"));
                Exit::IO_ERROR
            }
            _ => self.exit,
        }
    }
}

fn put(to: &mut impl Write, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let text = text.trim_end_matches('\n');
    // JSON is for programs, and escapes what acts on a terminal.
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_json { writeln!(to, "{text}") } else { writeln!(to, "{}", without_control(text)) }
}
