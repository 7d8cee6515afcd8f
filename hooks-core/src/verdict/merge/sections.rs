use std::borrow::Cow;

use super::{Budget, Fits, Merged, report};
use crate::verdict::{Contribution, Contributions, Diagnostic};

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
}

impl Contributions {
    /// The sections of the system prompt, in the order in which their names come first in the plan.
    ///
    /// Texts under one name are joined with a blank line; the first title stays, and `prompt_section.title_conflict` reports
    /// another one. At most [`SECTIONS`] sections, [`SECTION_LIMIT`] characters each and [`SECTIONS_LIMIT`] in all;
    /// `prompt_section.truncated` and `prompt_section.entry_omitted` report what had no room.
    pub fn prompt_sections(&self) -> Merged<Section<'_>> {
        let (mut sections, mut diagnostics) = (Vec::<Section<'_>>::new(), Vec::new());
        for one in self {
            let Contribution::PromptSection { id, title, text } = one else { continue };
            let Some(section) = sections.iter_mut().find(|section| section.id == id) else {
                sections.push(Section { id, title, text: Cow::Borrowed(text) });
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
        let mut room = Budget { entries: SECTIONS, characters: SECTIONS_LIMIT, each: SECTION_LIMIT };
        sections.retain_mut(|section| {
            let kept = match room.take(&section.text) {
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
                "the section `{}` was cut: a section has at most {SECTION_LIMIT} characters, all have {SECTIONS_LIMIT}",
                section.id
            );
            report(&mut diagnostics, Diagnostic::new("prompt_section.truncated", text));
            true
        });
        Merged { entries: sections, diagnostics }
    }
}
