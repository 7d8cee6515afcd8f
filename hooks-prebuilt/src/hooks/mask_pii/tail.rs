//! The end of a text that may be the beginning of a value.

use super::{email, iban};
use crate::digits::{digit, is_separator};

/// The most characters of an address.
const WORD: usize = 340;

/// The most characters of a number in groups, with those after it that decide about it.
const NUMBER: usize = 128;

/// Where the last word begins, or the groups of digits before it that may belong to it.
pub(super) fn of(text: &str) -> usize {
    let in_word =
        |c: char| !c.is_whitespace() && (c.is_ascii() || email::is_letter(c) || digit(c).is_some() || is_separator(c));
    let last = text.char_indices().rev().take(WORD).take_while(|(_, c)| in_word(*c)).last();
    let word = last.map_or(text.len(), |(at, _)| at);
    let floor = text.char_indices().rev().take(NUMBER).last().map_or(0, |(at, _)| at);
    word.min(groups(text, floor)).min(iban::tail(text, floor))
}

/// Where the words with digits begin that are at the end of the text.
fn groups(text: &str, floor: usize) -> usize {
    let (mut start, mut end) = (text.len(), text.len());
    loop {
        let space =
            text[floor..end].char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, c)| (floor + at, c));
        let word = space.map_or(floor, |(at, c)| at + c.len_utf8());
        if word < end {
            if !is_group(&text[word..end]) {
                return start;
            }
            start = word;
        }
        match space {
            Some((at, c)) if c != '\n' => end = at,
            _ => return start,
        }
    }
}

/// Whether a word may be a part of a number: it has a digit, or only signs that stand between digits.
fn is_group(word: &str) -> bool {
    word.chars().any(|c| digit(c).is_some()) || word.chars().all(|c| is_separator(c) || "+()/".contains(c))
}
