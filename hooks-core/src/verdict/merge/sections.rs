use std::borrow::Cow;

use super::{Budget, Fits, Merged, report};
use crate::verdict::{Contribution, Contributions, Diagnostic, PromptSection};

/// The most sections that hooks add to a system prompt.
pub const SECTIONS: usize = 16;

/// The most characters that a section has.
pub const SECTION_LIMIT: usize = 8_000;

/// The most characters that all sections have.
pub const SECTIONS_LIMIT: usize = 16_000;

/// A section of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section<'a> {
    /// Its name.
    pub id: &'a str,
    /// Its heading: the first that was given.
    pub title: &'a str,
    /// The texts under its name, with a blank line between them, cut where there is no room for all.
    pub text: Cow<'a, str>,
    /// Its place: the first that was given. Lower comes earlier.
    pub order: i32,
    /// The most characters that it may take: the first that was given, [`SECTION_LIMIT`] at most.
    pub budget: usize,
}

impl Contributions {
    /// The sections of the system prompt: by order, the lowest first, then as their names come first in the plan.
    ///
    /// Texts under one name are joined with a blank line; the first title, order and budget stay, and
    /// `prompt_section.title_conflict` reports another title. At most [`SECTIONS`] sections, [`SECTION_LIMIT`] characters each,
    /// or the section's own budget, and [`SECTIONS_LIMIT`] in all; `prompt_section.truncated` and
    /// `prompt_section.entry_omitted` report what had no room: the last sections go first.
    pub fn prompt_sections(&self) -> Merged<Section<'_>> {
        let (mut sections, mut diagnostics) = (Vec::<Section<'_>>::new(), Vec::new());
        for one in self {
            let Contribution::PromptSection(PromptSection { id, title, text, order, budget }) = one else { continue };
            let Some(section) = sections.iter_mut().find(|section| section.id == id) else {
                let budget = budget.unwrap_or(SECTION_LIMIT).min(SECTION_LIMIT);
                sections.push(Section { id, title, text: Cow::Borrowed(text), order: *order, budget });
                continue;
            };
            if section.title != title {
                let text = format!("several hooks give the section `{id}` different titles; the first stays");
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
                        "the section `{}` was left out: there are at most {SECTIONS} with {SECTIONS_LIMIT} characters in all",
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
                "the section `{}` was cut: it has at most {} characters, all sections have {SECTIONS_LIMIT}",
                section.id, section.budget
            );
            report(&mut diagnostics, Diagnostic::new("prompt_section.truncated", text));
            true
        });
        Merged { entries: sections, diagnostics }
    }
}
