//! Merged views of contributions, one per kind of contribution.

mod context;
mod policy;
mod sections;
mod tools;

use super::Diagnostic;
use crate::text::cut;

pub use policy::PolicyEntry;
pub use tools::Tools;

/// Merged entries, and diagnostics about the merge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedEntries<T> {
    /// The entries, in the order of the view.
    pub entries: Vec<T>,
    /// What was overridden, truncated or omitted. Contains no values or texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// The remaining room for text.
struct Room {
    entries: usize,
    characters: usize,
}

impl Room {
    /// The length of what is kept of a text, at most `most` characters; `None` if there is no room for it.
    fn take(&mut self, text: &str, most: usize) -> Option<usize> {
        if self.entries == 0 || (self.characters == 0 && !text.is_empty()) {
            return None;
        }
        let kept = cut(text, most.min(self.characters));
        self.entries -= 1;
        self.characters -= kept.chars().count();
        Some(kept.len())
    }
}

/// Adds a diagnostic unless it is a duplicate.
fn report(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    if !diagnostics.contains(&diagnostic) {
        diagnostics.push(diagnostic);
    }
}
