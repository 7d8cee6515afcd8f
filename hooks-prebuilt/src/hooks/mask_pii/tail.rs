//! The end of a text that may be the beginning of a value.

use super::{email, iban};
use crate::digits::{digit, is_separator};

/// The most characters of an address.
const WORD: usize = 340;

/// The most characters before an `@`.
const LOCAL: usize = 66;

/// The most characters of a number in groups, with those after it that decide about it.
const NUMBER: usize = 128;

/// Where the last word begins, or the groups of digits before it that may belong to it.
///
/// `letters` says that there may be groups without digits, as in `RSS MRA 85T10 A562S`.
pub(super) fn of(text: &str, letters: bool) -> usize {
    let in_word = |c: char| {
        !c.is_whitespace() && (c.is_ascii() || c.is_alphanumeric() || email::SIGNS.contains(&c) || is_separator(c))
    };
    let last = text.char_indices().rev().take(WORD).take_while(|(_, c)| in_word(*c)).last();
    let word = last.map_or(text.len(), |(at, _)| at);
    // Quotes may hold the words of a local part, as in `"john doe"@example.com`.
    let near =
        word - text[..word].chars().rev().take(LOCAL).take_while(|c| *c != '\n').map(char::len_utf8).sum::<usize>();
    let word = text[near..word].find('"').map_or(word, |quote| near + quote);
    let floor = text.char_indices().rev().take(NUMBER).last().map_or(0, |(at, _)| at);
    word.min(groups(text, floor, letters)).min(iban::tail(text, floor))
}

/// Where the words with digits begin that are at the end of the text.
fn groups(text: &str, floor: usize, letters: bool) -> usize {
    let (mut start, mut end) = (text.len(), text.len());
    loop {
        let space =
            text[floor..end].char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, c)| (floor + at, c));
        let word = space.map_or(floor, |(at, c)| at + c.len_utf8());
        if word < end {
            let is_part = is_group(&text[word..end]) || (letters && is_of_letters(&text[word..end], end == text.len()));
            if !is_part {
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

/// Whether a word ends with as many letters as a group of an Italian code; at the end of the text, more may follow.
fn is_of_letters(word: &str, more: bool) -> bool {
    let last = word.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    matches!(last.len(), 3 | 5 | 6) || (more && last.len() < 6)
}

/// Whether a word may be a part of a number: it has a digit, or only signs that stand between digits.
fn is_group(word: &str) -> bool {
    word.chars().any(|c| digit(c).is_some()) || word.chars().all(|c| is_separator(c) || "+()/".contains(c))
}
