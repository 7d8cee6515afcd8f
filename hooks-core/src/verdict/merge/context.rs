use std::cmp::Reverse;

use serde_json::Value;

use super::{Budget, Fits, Merged, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptContext};

/// The most entries that a prompt's context has.
pub const CONTEXT_ENTRIES: usize = 16;

/// The most characters that a prompt's context has in all.
pub const CONTEXT_LIMIT: usize = 12_000;

/// An entry of the model's context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextEntry<'a> {
    /// What it is about.
    pub domain: &'a str,
    /// Its name within the domain.
    pub id: &'a str,
    /// The text, cut where there is no room for all of it.
    pub text: &'a str,
    /// Its priority.
    pub priority: i32,
    /// What the model does not see of it.
    pub data: &'a Value,
}

impl Contributions {
    /// The texts for the model's context: by priority, the highest first, then domain, then id, then the order of the
    /// plan. An entry that is there already is not repeated.
    ///
    /// At most [`CONTEXT_ENTRIES`] entries and [`CONTEXT_LIMIT`] characters; `prompt_context.truncated` and
    /// `prompt_context.entry_omitted` report what had no room.
    pub fn prompt_context(&self) -> Merged<ContextEntry<'_>> {
        let mut sorted: Vec<ContextEntry<'_>> = Vec::new();
        for one in self {
            let Contribution::PromptContext(PromptContext { domain, id, text, priority, data }) = one else { continue };
            let entry = ContextEntry { domain, id, text, priority: *priority, data };
            if !sorted.contains(&entry) {
                sorted.push(entry);
            }
        }
        sorted.sort_by_key(|entry| (Reverse(entry.priority), entry.domain, entry.id));
        let mut room = Budget { entries: CONTEXT_ENTRIES, characters: CONTEXT_LIMIT };
        let (mut entries, mut diagnostics) = (Vec::new(), Vec::new());
        for mut entry in sorted {
            let (domain, id) = (entry.domain, entry.id);
            match room.take(entry.text, CONTEXT_LIMIT) {
                Fits::Whole => {}
                Fits::Cut(text) => {
                    entry.text = text;
                    let text = format!("`{domain}.{id}` was cut: a context has at most {CONTEXT_LIMIT} characters");
                    report(&mut diagnostics, Diagnostic::new("prompt_context.truncated", text));
                }
                Fits::Not => {
                    let text = format!(
                        "`{domain}.{id}` was left out: a context has at most {CONTEXT_ENTRIES} entries and {CONTEXT_LIMIT} characters"
                    );
                    report(&mut diagnostics, Diagnostic::new("prompt_context.entry_omitted", text));
                    continue;
                }
            }
            entries.push(entry);
        }
        Merged { entries, diagnostics }
    }
}
