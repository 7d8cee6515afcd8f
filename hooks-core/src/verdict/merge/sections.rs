use std::borrow::Cow;

use super::{MergedEntries, Room, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptSection};

/// The maximum number of sections that hooks add to a system prompt.
const SECTIONS: usize = 16;

/// The maximum number of characters of one section.
const SECTION_LIMIT: usize = 8_000;

/// The maximum number of characters of all sections together.
const SECTIONS_LIMIT: usize = 16_000;

impl Contributions {
    /// The sections of the system prompt, sorted by order (lowest first), then by their first appearance in the plan.
    ///
    /// Texts with the same name are joined with a blank line. The first title, order and budget apply;
    /// `prompt_section.title_conflict` reports a different title. There are at most 16 sections, with at most
    /// 8,000 characters (or the section's budget) each and 16,000 in total. The last sections
    /// are omitted first; `prompt_section.truncated` and `prompt_section.entry_omitted` report what did not fit.
    pub fn prompt_sections(&self) -> MergedEntries<Cow<'_, PromptSection>> {
        let (mut sections, mut diagnostics) = (Vec::<Cow<'_, PromptSection>>::new(), Vec::new());
        for one in self.iter() {
            let Contribution::PromptSection(given) = one else { continue };
            let PromptSection { id, title, text, .. } = given;
            let Some(section) = sections.iter_mut().find(|section| section.id == *id) else {
                sections.push(Cow::Borrowed(given));
                continue;
            };
            if section.title != *title {
                let text = format!("several hooks give the section `{id}` different titles; the first one is used");
                report(&mut diagnostics, Diagnostic::new("prompt_section.title_conflict", text));
            }
            if !text.is_empty() {
                let joined = &mut section.to_mut().text;
                joined.push_str(if joined.is_empty() { "" } else { "\n\n" });
                joined.push_str(text);
            }
        }
        sections.sort_by_key(|section| section.order);
        let mut room = Room { entries: SECTIONS, characters: SECTIONS_LIMIT };
        sections.retain_mut(|section| {
            let most = section.budget.unwrap_or(SECTION_LIMIT).min(SECTION_LIMIT);
            let kept = room.take(&section.text, most);
            if kept == Some(section.text.len()) {
                return true;
            }
            let (code, problem) = match kept {
                Some(_) => (
                    "prompt_section.truncated",
                    format!("truncated: it has at most {most} characters, and all sections together {SECTIONS_LIMIT}"),
                ),
                None => (
                    "prompt_section.entry_omitted",
                    format!("omitted: there are at most {SECTIONS} sections with {SECTIONS_LIMIT} characters in total"),
                ),
            };
            let text = format!("the section `{}` was {problem}", section.id);
            report(&mut diagnostics, Diagnostic::new(code, text));
            kept.map(|kept| section.to_mut().text.truncate(kept)).is_some()
        });
        MergedEntries { entries: sections, diagnostics }
    }
}
