use std::cmp::Reverse;

use serde_json::Value;

use super::{Budget, Fits, MergedEntries, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptContext};

/// The maximum number of entries in a prompt's context.
const CONTEXT_ENTRIES: usize = 16;

/// The maximum number of characters in a prompt's context.
const CONTEXT_LIMIT: usize = 12_000;

/// An entry of the model's context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextEntry<'a> {
    /// The area that the text belongs to.
    pub domain: &'a str,
    /// The name within the domain.
    pub id: &'a str,
    /// The text, truncated if it does not fit.
    pub text: &'a str,
    /// The priority. Higher numbers come earlier.
    pub priority: i32,
    /// Data that the model does not see.
    pub data: &'a Value,
}

impl Contributions {
    /// The texts for the model's context, sorted by priority (highest first), domain, id and plan order. Duplicate
    /// entries are omitted.
    ///
    /// There are at most 16 entries and 12,000 characters. `prompt_context.truncated` and
    /// `prompt_context.entry_omitted` report what did not fit.
    pub fn prompt_context(&self) -> MergedEntries<ContextEntry<'_>> {
        let mut sorted: Vec<ContextEntry<'_>> = Vec::new();
        for one in self.iter() {
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
                    let text =
                        format!("`{domain}.{id}` was truncated: a context has at most {CONTEXT_LIMIT} characters");
                    report(&mut diagnostics, Diagnostic::new("prompt_context.truncated", text));
                }
                Fits::Not => {
                    let text = format!(
                        "`{domain}.{id}` was omitted: a context has at most {CONTEXT_ENTRIES} entries and {CONTEXT_LIMIT} characters"
                    );
                    report(&mut diagnostics, Diagnostic::new("prompt_context.entry_omitted", text));
                    continue;
                }
            }
            entries.push(entry);
        }
        MergedEntries { entries, diagnostics }
    }
}
