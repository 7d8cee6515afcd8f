//! `mask_pii`: replaces personal data that has a form.

mod card;
mod email;
mod iban;
mod ids;
mod ip;
mod phone;

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Map;
use wildmatch::WildMatch;

use crate::digits;
use crate::finder::{self, Finder, Found, StreamWindow};
use crate::json;
use crate::masks::mask_everywhere;
use crate::parameters::{Fields, exceptions, from_fields, unknown};

/// A type of personal data.
#[derive(Debug)]
struct Recogniser {
    name: &'static str,
    /// Whether its last digits can be kept.
    digits: bool,
    next: fn(&str, usize) -> Option<Range<usize>>,
}

/// Those that are masked unless a list says otherwise.
static FIRST: &[Recogniser] = &[
    Recogniser { name: "email", digits: false, next: email::next },
    Recogniser { name: "card", digits: true, next: card::next },
    Recogniser { name: "iban", digits: true, next: iban::next },
];

static LAST: &[Recogniser] = &[
    Recogniser { name: "phone", digits: true, next: phone::next },
    Recogniser { name: "ip", digits: false, next: ip::next },
];

/// Of two that are equally long, the first counts: those with a checksum come before those without.
fn recognisers() -> impl Iterator<Item = &'static Recogniser> + Clone {
    FIRST.iter().chain(ids::IDS).chain(LAST)
}

/// The parameters of `mask_pii`.
#[derive(Clone, Debug)]
pub struct MaskPii {
    /// The types, and what replaces each.
    types: Vec<(&'static Recogniser, String)>,
    allow: Vec<WildMatch>,
    keep_last: usize,
}

from_fields!(MaskPii, MaskPii::read);

impl MaskPii {
    fn read(fields: &mut Fields) -> Self {
        let names: Option<Vec<String>> = fields.optional("types");
        let mut by: BTreeMap<String, String> = fields.or("by", BTreeMap::new());
        let allow = exceptions(fields);
        let keep_last: usize = fields.or("keep_last", 0);
        let known = || recognisers().map(|recogniser| recogniser.name);
        for name in names.iter().flatten().chain(by.keys()) {
            if !known().any(|known| known == name) {
                fields.problem(unknown("type", name, known()));
            }
        }
        if names.as_ref().is_some_and(Vec::is_empty) {
            fields.problem("`types` is empty: name at least one, or leave it out");
        }
        let chosen = |recogniser: &&Recogniser| match &names {
            Some(names) => names.iter().any(|name| name == recogniser.name),
            None => FIRST.iter().any(|one| one.name == recogniser.name),
        };
        let unused = by.keys().filter(|name| recognisers().any(|one| one.name == **name && !chosen(&one)));
        for name in unused {
            fields.problem(format_args!("`by.{name}`: `types` has no `{name}`, so that it is not masked"));
        }
        if keep_last > 4 {
            fields.problem(format_args!("`keep_last` is {keep_last}: at most 4 digits can be kept"));
        }
        let types = recognisers().filter(chosen).map(|recogniser| {
            (recogniser, by.remove(recogniser.name).unwrap_or_else(|| format!("[{}]", recogniser.name)))
        });
        let mask = MaskPii {
            types: types.collect(),
            allow: allow.iter().map(|pattern| WildMatch::new_case_insensitive(pattern)).collect(),
            keep_last,
        };
        for (recogniser, text) in &mask.types {
            if mask.find(text, 0).next().is_some() {
                fields.problem(format_args!("`by.{}` would be masked itself: `{text}`", recogniser.name));
            }
        }
        mask
    }
}

impl Default for MaskPii {
    fn default() -> Self {
        Self::read(&mut Fields::new(Map::new()))
    }
}

impl MaskPii {
    /// The text without personal data; `None` if it contains none. In JSON, only strings, keys and numbers change.
    ///
    /// ```
    /// use hooks_prebuilt::MaskPii;
    ///
    /// let masked = MaskPii::default().mask("ada@example.com paid with 4111 1111 1111 1111");
    /// assert_eq!(masked.as_deref(), Some("[email] paid with [card]"));
    /// ```
    pub fn mask(&self, text: &str) -> Option<String> {
        json::rewrite("", text, &mut |name, text| self.edit(name, text))
    }

    /// The same for a text that is not JSON, behind its name: `phone` says what a number without form is.
    fn edit(&self, name: &str, text: &str) -> Option<String> {
        if self.is_plain(text) {
            return None;
        }
        let named = if is_telling(name, text) { format!("{name}: ") } else { String::new() };
        let masked = self.window(&named, text, true).text;
        (masked != text).then_some(masked)
    }

    fn stream(&self, shown: &str, window: &str, last: bool) -> Option<StreamWindow> {
        (!self.is_plain(window)).then(|| self.window(shown, window, last))
    }

    /// Whether a text certainly contains no value: every value has a digit or a form of `@`, but for the Italian code, whose
    /// digits can be letters. Most windows of a stream are such texts.
    fn is_plain(&self, text: &str) -> bool {
        // Bytes with which such characters begin. All bytes are looked at, many at a time.
        let begins = |byte| matches!(byte, b'0'..=b'9' | b'@' | b'%' | b'\\' | b'&' | 0xd9 | 0xdb | 0xef);
        let may = text.bytes().fold(false, |may, byte| may | begins(byte));
        (!may || !text.chars().any(|c| digits::digit(c).is_some() || email::SIGNS.contains(&c)))
            && !self.types.iter().any(|(one, _)| one.name == "it_fiscal_code")
    }

    /// The window of a stream without personal data. `shown` is the text before it, and `last` says that no more
    /// follows. What is held back stays as it is.
    pub fn window(&self, shown: &str, window: &str, last: bool) -> StreamWindow {
        finder::window(self, shown, window, last)
    }

    /// What replaces a value.
    fn replacement(&self, recogniser: &Recogniser, by: &str, value: &str) -> String {
        if self.keep_last == 0 || !recogniser.digits {
            return by.to_owned();
        }
        let kept: Vec<char> = value.chars().rev().filter(|c| c.is_alphanumeric()).take(self.keep_last).collect();
        let kept: String = kept.into_iter().rev().collect();
        by.strip_suffix(']').map_or_else(|| format!("{by} {kept}"), |by| format!("{by} {kept}]"))
    }

    fn is_allowed(&self, value: &str) -> bool {
        let plain = || value.chars().filter(|c| !digits::is_separator(*c)).collect::<String>();
        self.allow.iter().any(|allowed| allowed.matches(value) || allowed.matches(&plain()))
    }
}

/// Whether the name of a field says what its value is. A date, a time stamp or an identifier may be under `cell`, and an
/// address under `build`.
fn is_telling(name: &str, text: &str) -> bool {
    let word = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = matches!(text.len(), 10 | 13) && ["15", "16", "17", "18"].iter().any(|time| text.starts_with(time));
    !name.is_empty()
        && !["v", "build", "section"].iter().any(|known| word.eq_ignore_ascii_case(known))
        && !(is_number && (is_time || !(9..=13).contains(&text.len())))
}

impl Finder for MaskPii {
    const BEFORE: usize = 256;

    fn find<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Found> + 'a {
        // The next value of each type, if there are more, and where the last value ends.
        let mut next: Vec<_> = self.types.iter().map(|(one, _)| (one.next)(text, from)).collect();
        let mut last = usize::MAX;
        std::iter::from_fn(move || {
            loop {
                let places = || next.iter().enumerate().filter_map(|(at, place)| Some((at, place.clone()?)));
                let is_part = |at: usize, place: &Range<usize>| {
                    let (before, after) = self.types[at].0.joined(text, place);
                    before.is_some_and(|end| end != last) || after.is_some_and(|at| !self.has_value_at(text, at))
                };
                let (at, place) = places().min_by_key(|(_, place)| (place.start, usize::MAX - place.end))?;
                if is_part(at, &place) {
                    next[at] = (self.types[at].0.next)(text, digits::after(text, place.start));
                    continue;
                }
                // Of those that overlap, the longest.
                let overlaps = |other: &Range<usize>| other.start < place.end && other.len() > place.len();
                let longer = places().filter(|(at, other)| overlaps(other) && !is_part(*at, other));
                let (at, place) = longer.min_by_key(|(_, other)| usize::MAX - other.len()).unwrap_or((at, place));
                for ((one, _), next) in self.types.iter().zip(&mut next) {
                    if next.as_ref().is_some_and(|next| next.start < place.end) {
                        *next = (one.next)(text, place.end);
                    }
                }
                let ((one, by), value) = (&self.types[at], &text[place.clone()]);
                if !self.is_allowed(value) {
                    last = place.end;
                    let by = self.replacement(one, by, value);
                    return Some((place, by));
                }
            }
        })
    }
}

/// The characters that show whether a value begins with them.
const VALUE: usize = 64;

impl Recogniser {
    /// The neighbours of a value that make it a part of a longer number.
    fn joined(&self, text: &str, place: &Range<usize>) -> (Option<usize>, Option<usize>) {
        let value = &text[place.clone()];
        // What begins with a sign or letters is whole, and so is a card, but for the shortest, between spaces.
        if !self.digits || self.name == "iban" || value.starts_with(['+', '%']) {
            return (None, None);
        }
        let is_clear = self.name == "card" && value.chars().filter(|c| digits::digit(*c).is_some()).count() > 13;
        digits::joined(text, place, |sign| !(is_clear && sign.is_whitespace()))
    }
}

impl MaskPii {
    /// Whether digits are the beginning of another value, and so not a part of the number before them.
    fn has_value_at(&self, text: &str, at: usize) -> bool {
        let near = &text[..text[at..].char_indices().nth(VALUE).map_or(text.len(), |(end, _)| at + end)];
        self.types.iter().any(|(one, _)| (one.next)(near, at).is_some_and(|found| found.start == at))
    }
}

hook_sdk::group! {
    /// Replaces personal data that has a form, such as e-mail addresses and card numbers, wherever text is stored,
    /// read by a model, returned by a tool or shown.
    pub mask_pii
}

mask_everywhere!(mask_pii, MaskPii);
