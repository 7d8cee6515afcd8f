//! The report as annotations of a GitHub workflow.

use std::fmt::Write;

use super::ReplayReport;

impl ReplayReport {
    /// One line per group, as GitHub shows it in a pull request: flips as errors, the rest as warnings.
    pub fn to_github(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let level = if group.is_flip() { "error" } else { "warning" };
            let hook = group.hook.as_deref().map(|hook| format!("`{hook}` ")).unwrap_or_default();
            let place =
                group.examples.first().map(|example| format!(", first at {}", example.at())).unwrap_or_default();
            let message = format!("{hook}{}{} ({} times{place})", group.title, group.aside(), group.count);
            // Infallible, because it is a `String`.
            let _ = writeln!(text, "::{level} title={}::{}", property(&group.kind), data(&message));
        }
        for problem in &self.problems {
            let _ = writeln!(text, "::error title=not replayed::{}", data(problem));
        }
        if self.failed > self.problems.len() {
            let more = self.failed - self.problems.len();
            let _ = writeln!(text, "::error title=not replayed::and {more} more, {} in all", self.failed);
        }
        for note in self.notes() {
            let _ = writeln!(text, "::warning title=replay::{}", data(&note));
        }
        text
    }
}

/// Escapes a text for workflow commands.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
