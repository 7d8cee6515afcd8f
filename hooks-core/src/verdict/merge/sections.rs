use std::borrow::Cow;

use super::{Budget, Fits, MergedEntries, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptSection};

/// The maximum number of sections that hooks add to a system prompt.
const SECTIONS: usize = 16;

/// The maximum number of characters of one section.
const SECTION_LIMIT: usize = 8_000;

/// The maximum number of characters of all sections together.
const SECTIONS_LIMIT: usize = 16_000;

/// A section of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section<'a> {
    /// The name of the section.
    pub id: &'a str,
    /// The heading: the first one that was given.
    pub title: &'a str,
    /// The texts with this name, joined with blank lines and truncated if they do not fit.
    pub text: Cow<'a, str>,
    /// The order: the first one that was given. Lower numbers come earlier.
    pub order: i32,
    /// The maximum number of characters: the first one that was given, at most 8,000.
    pub budget: usize,
}

impl Contributions {
    /// The sections of the system prompt, sorted by order (lowest first), then by their first appearance in the plan.
    ///
    /// Texts with the same name are joined with a blank line. The first title, order and budget apply;
    /// `prompt_section.title_conflict` reports a different title. There are at most 16 sections, with at most
    /// 8,000 characters (or the section's budget) each and 16,000 in total. The last sections
    /// are omitted first; `prompt_section.truncated` and `prompt_section.entry_omitted` report what did not fit.
    pub fn prompt_sections(&self) -> MergedEntries<Section<'_>> {
        let (mut sections, mut diagnostics) = (Vec::<Section<'_>>::new(), Vec::new());
        for one in self.iter() {
            let Contribution::PromptSection(PromptSection { id, title, text, order, budget }) = one else { continue };
            let Some(section) = sections.iter_mut().find(|section| section.id == id) else {
                let budget = budget.unwrap_or(SECTION_LIMIT).min(SECTION_LIMIT);
                sections.push(Section { id, title, text: Cow::Borrowed(text), order: *order, budget });
                continue;
            };
            if section.title != title {
                let text = format!("several hooks give the section `{id}` different titles; the first one is used");
                report(&mut diagnostics, Diagnostic::new("prompt_section.title_conflict", text));
            }
            if section.text.is_empty() {
                section.text = Cow::Borrowed(text);
            } else if !text.is_empty() {
                section.text = Cow::Owned(format!("{}\n\n{text}", section.text));
            }
        }
        sections.sort_by_key(|section| section.order);
        let mut room = Budget { entries: SECTIONS, characters: SECTIONS_LIMIT };
        sections.retain_mut(|section| {
            let kept = match room.take(&section.text, section.budget) {
                Fits::Whole => return true,
                Fits::Cut(text) => text.len(),
                Fits::Not => {
                    let text = format!(
                        "the section `{}` was omitted: there are at most {SECTIONS} sections with {SECTIONS_LIMIT} characters in total",
                        section.id
                    );
                    report(&mut diagnostics, Diagnostic::new("prompt_section.entry_omitted", text));
                    return false;
                }
            };
            match &mut section.text {
                Cow::Borrowed(text) => *text = &text[..kept],
                Cow::Owned(text) => text.truncate(kept),
            }
            let text = format!(
                "the section `{}` was truncated: it has at most {} characters, and all sections together {SECTIONS_LIMIT}",
                section.id, section.budget
            );
            report(&mut diagnostics, Diagnostic::new("prompt_section.truncated", text));
            true
        });
        MergedEntries { entries: sections, diagnostics }
    }
}
