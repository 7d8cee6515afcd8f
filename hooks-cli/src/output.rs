use std::io::{self, Write};

use serde_json::Value;

use crate::args::Color;
use crate::exit::Exit;

/// What a command says, and how the program ends. Texts hold colours; [`write`](Self::write) leaves them out where no
/// terminal shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "write it, and end with its exit status"]
pub struct Output {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// How the program ends.
    pub exit: Exit,
}

/// A report for machines. Its fields are in the order of the alphabet, whatever another crate of the build makes of it.
pub(crate) fn json(mut report: Value) -> String {
    report.sort_all_objects();
    format!("{report:#}")
}

impl Output {
    pub(crate) fn new(out: impl Into<String>, exit: Exit) -> Self {
        Self { out: out.into(), err: String::new(), exit }
    }

    /// Nothing could be done, and why.
    pub(crate) fn trouble(text: impl Into<String>, exit: Exit) -> Self {
        Self { out: String::new(), err: text.into(), exit }
    }

    /// The same for machines, beside the words on standard error.
    pub(crate) fn with_error_json(mut self) -> Self {
        let message = anstream::adapter::strip_str(&self.err).to_string();
        let message = message.trim();
        // The field says that it is one.
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let report = serde_json::json!({ "version": 1, "error": message, "exit_status": self.exit.code() });
        self.out = json(report);
        self
    }

    pub(crate) fn and_err(mut self, text: &str) -> Self {
        self.err.push_str(text);
        self
    }

    /// Writes both texts, and returns how the program ends. A reader who has seen enough is no error: the status stays what
    /// it is.
    pub fn write(&self, color: Color) -> Exit {
        let choice = color.into();
        let mut out = anstream::AutoStream::new(io::stdout(), choice);
        let written = put(&mut out, &self.out).and_then(|()| out.flush());
        // If nobody hears of trouble there is nobody to tell.
        let mut err = anstream::AutoStream::new(io::stderr(), choice);
        let _ = put(&mut err, &self.err);
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = put(&mut err, &format!("error: standard output cannot be written: {error}"));
                Exit::NOT_WRITTEN
            }
            _ => self.exit,
        }
    }
}

fn put(to: &mut impl Write, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    writeln!(to, "{}", text.trim_end_matches('\n'))
}
