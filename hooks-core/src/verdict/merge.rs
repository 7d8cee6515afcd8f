//! What contributions come to when they are put together: one view per kind of contribution.

mod context;
mod policy;
mod sections;
mod tools;

use super::Diagnostic;
use crate::text::cut;

pub use context::{CONTEXT_ENTRIES, CONTEXT_LIMIT, ContextEntry};
pub use policy::PolicyEntry;
pub use sections::{SECTION_LIMIT, SECTIONS, SECTIONS_LIMIT, Section};
pub use tools::Tools;

/// Merged entries, and the diagnostics of the merging.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merged<T> {
    /// The entries, in the order of the view.
    pub entries: Vec<T>,
    /// What was overruled, cut or left out. Names no values and no texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// How much text still fits.
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
    /// Takes a text of at most `most` characters in.
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

/// Adds a diagnostic that is not there yet.
fn report(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    if !diagnostics.contains(&diagnostic) {
        diagnostics.push(diagnostic);
    }
}
