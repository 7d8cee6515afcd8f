use std::borrow::Cow;
use std::cmp::Reverse;

use super::{MergedEntries, Room, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptContext};

/// The maximum number of entries in a prompt's context.
const CONTEXT_ENTRIES: usize = 16;

/// The maximum number of characters in a prompt's context.
const CONTEXT_LIMIT: usize = 12_000;

impl Contributions {
    /// The texts for the model's context, sorted by priority (highest first), domain, id and plan order. Duplicate
    /// entries are omitted.
    ///
    /// There are at most 16 entries and 12,000 characters. `prompt_context.truncated` and
    /// `prompt_context.entry_omitted` report what did not fit.
    pub fn prompt_context(&self) -> MergedEntries<Cow<'_, PromptContext>> {
        let mut sorted: Vec<&PromptContext> = Vec::new();
        for one in self.iter() {
            match one {
                Contribution::PromptContext(entry) if !sorted.contains(&entry) => sorted.push(entry),
                _ => {}
            }
        }
        sorted.sort_by_key(|entry| (Reverse(entry.priority), &entry.domain, &entry.id));
        let mut room = Room { entries: CONTEXT_ENTRIES, characters: CONTEXT_LIMIT };
        let (mut entries, mut diagnostics) = (Vec::new(), Vec::new());
        for entry @ PromptContext { domain, id, text, .. } in sorted {
            let mut entry = Cow::Borrowed(entry);
            let kept = room.take(text, CONTEXT_LIMIT);
            if kept != Some(text.len()) {
                let (code, what) = match kept {
                    Some(_) => ("prompt_context.truncated", "truncated"),
                    None => ("prompt_context.entry_omitted", "omitted"),
                };
                let text = format!(
                    "`{domain}.{id}` was {what}: a context has at most {CONTEXT_ENTRIES} entries and {CONTEXT_LIMIT} characters"
                );
                report(&mut diagnostics, Diagnostic::new(code, text));
                let Some(kept) = kept else { continue };
                entry.to_mut().text.truncate(kept);
            }
            entries.push(entry);
        }
        MergedEntries { entries, diagnostics }
    }
}
