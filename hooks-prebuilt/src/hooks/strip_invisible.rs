//! `strip_invisible`: removes characters that nobody sees and a model reads.

mod scripts;

use hook_sdk::hook;
use hook_sdk::prelude::*;
use scripts::{
    BREAKING, CAPITALS, HEBREW, IDEOGRAPHS, JOINING, MONGOLIAN, PICTOGRAPHS, RIGHT_TO_LEFT, Ranges, SKINS, VOWELS,
    has_form, last_variant, within,
};

use crate::parameters::{Fields, from_fields};
use crate::texts;

/// The parameters of `strip_invisible`.
#[derive(Clone, Debug, Default)]
pub struct StripInvisible {
    /// Characters that stay wherever they are.
    keep: Vec<char>,
}

from_fields!(StripInvisible, |fields: &mut Fields| {
    let keep: Vec<String> = fields.or("keep", Vec::new());
    let mut strip = StripInvisible::default();
    for text in keep {
        let code = text.strip_prefix("U+").and_then(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?));
        let mut chars = text.chars();
        let single = chars.next().filter(|_| chars.next().is_none());
        match code.or(single) {
            Some(c) if is_invisible(c) => strip.keep.push(c),
            Some(_) => fields.problem(format_args!("`keep`: `{text}` is visible, and stays without being kept")),
            None => fields.problem(format_args!("`keep`: `{text}` is not a character; write one such as `U+00AD`")),
        }
    }
    strip
});

/// The tags of the three flags of regions that everybody interchanges: England, Scotland and Wales.
const REGIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// How far from a direction mark a letter from right to left may be.
const NEAR: usize = 24;

impl StripInvisible {
    /// The text without invisible characters; `None` if it has none. Those that an emoji or a script needs stay.
    ///
    /// ```
    /// use hooks_prebuilt::StripInvisible;
    ///
    /// let strip = StripInvisible::default();
    /// assert_eq!(strip.strip("ig\u{200b}nore\u{e0041}").as_deref(), Some("ignore"));
    /// assert_eq!(strip.strip("👩‍👩‍👧 می‌خواهم"), None);
    /// ```
    pub fn strip(&self, text: &str) -> Option<String> {
        // No invisible character but the soft hyphen is below U+034F.
        if !text.bytes().any(|byte| byte >= 0xcc || byte == 0xc2) || !text.chars().any(is_invisible) {
            return None;
        }
        let mut stripped = self.once(text)?;
        // What has gone may have parted two selectors that are data side by side.
        while let Some(less) = self.once(&stripped) {
            stripped = less;
        }
        Some(stripped)
    }

    /// Judges each character by its neighbours in `text`.
    fn once(&self, text: &str) -> Option<String> {
        let mut kept = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let length = flag(&kept, &text[at..]).unwrap_or(c.len_utf8());
            let stays = length > c.len_utf8() || !is_invisible(c) || self.keep.contains(&c);
            let (before, rest) = (text[..at].chars().next_back(), &text[at + length..]);
            let is_data = is_selector(c) && (before.is_some_and(is_selector) || is_beside_others(&text[..at], rest));
            if stays || (!is_data && is_needed(c, &kept, rest)) {
                kept.push_str(&text[at..at + length]);
            }
            at += length;
        }
        (kept.len() < text.len()).then_some(kept)
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Selects a form of the character before it. Two in a row select nothing: they are data.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether the letter before or after has a selector too, as names do not and data does. `before` ends with the character
/// that the selector is of.
fn is_beside_others(before: &str, rest: &str) -> bool {
    let (mut next, is_letter) = (rest.chars(), |c| [CAPITALS, IDEOGRAPHS].iter().any(|kind| within(c, kind)));
    rest.starts_with(is_selector)
        || (before.chars().next_back().is_some_and(is_letter)
            && (before.chars().rev().nth(1).is_some_and(is_selector)
                || (next.next().is_some_and(is_letter) && next.next().is_some_and(is_selector))))
}

/// The length of the tags that make a black flag before them the flag of a region.
fn flag(kept: &str, rest: &str) -> Option<usize> {
    if !kept.ends_with('\u{1f3f4}') || !rest.starts_with('\u{e0067}') {
        return None;
    }
    REGIONS.iter().find_map(|region| {
        let tags: Option<String> = region.chars().map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        let tags = tags? + "\u{e007f}";
        rest.starts_with(&tags).then_some(tags.len())
    })
}

/// Whether an emoji or a script needs an invisible character here. `kept` is the text before it that stays.
fn is_needed(c: char, kept: &str, rest: &str) -> bool {
    let (mut backwards, next) = (kept.chars().rev(), rest.chars().next());
    let after = |ranges: Ranges| next.is_some_and(|next| within(next, ranges));
    let before = backwards.next();
    if matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}') {
        let mut near = kept.chars().rev().take(NEAR).chain(rest.chars().take(NEAR));
        return before.is_none_or(|before| !is_invisible(before)) && near.any(|near| within(near, RIGHT_TO_LEFT));
    }
    let Some(before) = before else { return c == '\u{115f}' && after(VOWELS) };
    match c {
        '\u{200c}' => within(before, JOINING),
        '\u{200d}' => {
            let picture =
                if before == '\u{fe0f}' || within(before, SKINS) { backwards.next().unwrap_or(before) } else { before };
            within(before, JOINING) || (within(picture, PICTOGRAPHS) && after(PICTOGRAPHS) && !after(SKINS))
        }
        '\u{200b}' => within(before, BREAKING) && after(BREAKING),
        // Nobody sees the form of these without a keycap, and it would part a number for the masks.
        '\u{fe0e}' | '\u{fe0f}' if matches!(before, '0'..='9' | '#' | '*') => next == Some('\u{20e3}'),
        '\u{fe00}'..='\u{fe0f}' => has_form(before, c),
        '\u{e0100}'..='\u{e01ef}' => within(before, IDEOGRAPHS) && c <= last_variant(before),
        '\u{180b}'..='\u{180f}' => within(before, MONGOLIAN),
        '\u{34f}' => within(before, HEBREW) || within(before, JOINING),
        '\u{115f}' => after(VOWELS),
        '\u{1160}' => matches!(before, '\u{1100}'..='\u{115e}'),
        '\u{17b4}' | '\u{17b5}' => matches!(before, '\u{1780}'..='\u{17b3}'),
        '\u{1bca0}'..='\u{1bca3}' => matches!(before, '\u{1bc00}'..='\u{1bc9f}'),
        '\u{1d173}'..='\u{1d17a}' => matches!(before, '\u{1d100}'..='\u{1d172}' | '\u{1d17b}'..='\u{1d1ff}'),
        _ => false,
    }
}

hook_sdk::group! {
    /// Removes characters that nobody sees and a model reads: tags, direction marks, fillers, and data in variation
    /// selectors. Those that an emoji or a script needs stay.
    pub strip_invisible
}

// Before the masks, for which a character that nobody sees can part a value.
#[hook(group = strip_invisible, kind = user_prompt_submit, on_failure = required, priority = -10_000)]
fn prompts(strip: &With<StripInvisible>, messages: &mut Messages) {
    texts::of_messages(messages, &mut |_, text| strip.strip(text));
}

#[hook(group = strip_invisible, kind = [after_tool_call_success, after_tool_call_failure], on_failure = remove, priority = -10_000)]
fn results(strip: &With<StripInvisible>, result: &mut ToolResult) {
    texts::of_result(result, &mut |_, text| strip.strip(text));
}

#[hook(group = strip_invisible, kind = prefilter_llm_history, on_failure = required, priority = -10_000)]
fn history(strip: &With<StripInvisible>, messages: &mut Messages) {
    texts::of_messages(messages, &mut |_, text| strip.strip(text));
}
