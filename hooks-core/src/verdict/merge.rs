//! Merged views of contributions, one per kind of contribution.

mod context;
mod policy;
mod sections;
mod tools;

use super::Diagnostic;
use crate::text::cut;

pub use context::ContextEntry;
pub use policy::PolicyEntry;
pub use sections::Section;
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
struct Budget {
    entries: usize,
    characters: usize,
}

enum Fits<'a> {
    Whole,
    Cut(&'a str),
    Not,
}

impl Budget {
    /// Adds a text, truncated to at most `most` characters.
    fn take<'a>(&mut self, text: &'a str, most: usize) -> Fits<'a> {
        if self.entries == 0 || (self.characters == 0 && !text.is_empty()) {
            return Fits::Not;
        }
        let kept = cut(text, most.min(self.characters));
        self.entries -= 1;
        self.characters -= kept.chars().count();
        if kept.len() == text.len() { Fits::Whole } else { Fits::Cut(kept) }
    }
}

/// Adds a diagnostic unless it is a duplicate.
fn report(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    if !diagnostics.contains(&diagnostic) {
        diagnostics.push(diagnostic);
    }
}
