//! Groups of digits, as people write numbers: `4111 1111 1111 1111`, `123-45-6789`.

use std::ops::Range;

use regex::Regex;

use crate::finder::before;

/// The value of a digit. Full-width and Arabic digits count too, because people of these scripts write numbers with them.
pub(crate) fn digit(c: char) -> Option<u8> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        '\u{0660}'..='\u{0669}' => '\u{0660}',
        '\u{06f0}'..='\u{06f9}' => '\u{06f0}',
        _ => return None,
    };
    u8::try_from(u32::from(c) - u32::from(zero)).ok()
}

/// Whether a character can separate two groups: a space, a tab, a dash, a dot, an underscore, or a character without width.
pub(crate) fn is_separator(c: char) -> bool {
    (kind(c).is_some() && !"/\r".contains(c)) || "\u{ad}\u{200b}\u{2060}".contains(c)
}

/// The length of the digits at the beginning of `rest`.
pub(crate) fn group(rest: &str) -> usize {
    rest.find(|c| digit(c).is_none()).unwrap_or(rest.len())
}

/// Whether a number may begin at `at`: not in a word, not after the point of a decimal, and not in the middle of a group.
pub(crate) fn begins(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    match before.next() {
        Some('.') => before.next().is_none_or(|c| digit(c).is_none()),
        // The first track of a card: `%B4111…`.
        Some('B') if before.next() == Some('%') => true,
        Some(c) if c.is_ascii_alphabetic() || digit(c).is_some() => is_behind_escape(text, at),
        _ => true,
    }
}

/// Whether a number may end at `at`: not in a word, and not before the point of a decimal. `.0` is how programs write a
/// whole number that they take for a decimal.
pub(crate) fn ends(text: &str, at: usize) -> bool {
    let rest = &text[at..];
    let mut after =
        rest.strip_prefix(".0").filter(|rest| !rest.starts_with(|c| digit(c).is_some())).unwrap_or(rest).chars();
    match after.next() {
        None => true,
        Some('.') => after.next().is_none_or(|c| digit(c).is_none()),
        Some(c) => !c.is_ascii_alphabetic() && digit(c).is_none(),
    }
}

/// Where a run of characters may be read from: its beginning, and the end of an escape in it, as in `\u00204111…`.
pub(crate) fn starts(text: &str, at: usize) -> impl Iterator<Item = usize> {
    let behind = (at + 1..=at + 4).filter(|end| text.is_char_boundary(*end) && is_behind_escape(text, *end));
    std::iter::once(at).chain(behind)
}

/// Whether an escape ends at `at`, also one of a URL: `%20`.
pub(crate) fn is_behind_escape(text: &str, at: usize) -> bool {
    is_escape(text, at) || code(&text[..at], 2, '%').is_some()
}

/// Whether an escape of JSON or of a program ends at `at`, such as `\n` or `\x0a`, or one that colours a terminal.
pub(crate) fn is_escape(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let has_slash = |before: &str| (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
    let letter = before.strip_suffix(['b', 'f', 'n', 'r', 't', '0']);
    let is_colour = || {
        let parameters = before.strip_suffix(|c: char| c.is_ascii_alphabetic())?;
        let begin = parameters.trim_end_matches(|c: char| c.is_ascii_digit() || ";:?".contains(c)).strip_suffix('[')?;
        let is = |escape: &&&str| begin.ends_with(**escape);
        ["\u{1b}", "\\e", "\\033", "\\x1b", "\\x1B", "\\u001b", "\\u001B"].iter().find(is)
    };
    [letter, code(before, 4, 'u'), code(before, 2, 'x')].into_iter().flatten().any(has_slash) || is_colour().is_some()
}

/// The text before the sign, if it ends with a sign and that many hexadecimal digits.
fn code(text: &str, count: usize, sign: char) -> Option<&str> {
    let (before, code) = text.split_at_checked(text.len().checked_sub(count)?)?;
    code.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| before.strip_suffix(sign)).flatten()
}

/// Whether a sign before a number belongs to it. Behind a word, a plus is a space of a form: `ssn+536-22-1234`.
pub(crate) fn is_signed(before: &str) -> bool {
    let form = before.strip_suffix('+').filter(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()));
    before.ends_with(['+', '-']) && form.is_none()
}

/// The characters that may stand between the digits of any number, as a class of a pattern.
pub(crate) const SEPARATORS: &str = r"[ .\u{a0}\u{2009}\u{202f}\u{2010}-\u{2013}-]";

/// A character that stands for all separators of its kind.
fn kind(c: char) -> Option<char> {
    match c {
        '\t' | '.' | '/' | '_' => Some(c),
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        _ if c.is_whitespace() && c != '\n' => Some(' '),
        _ => None,
    }
}

/// Where the group before a number ends, and where the one after it begins, if separators that may join numbers stand
/// between, as in `454 754 428 00`. A time, a date or a word is clearly separate: `454 754 428 12:30`.
pub(crate) fn joined(
    text: &str,
    place: &Range<usize>,
    may_join: impl Fn(char) -> bool,
) -> (Option<usize>, Option<usize>) {
    let kinds = || text[place.clone()].chars().filter_map(kind);
    let joins = |c: &char, own: Option<char>| kind(*c) == own.or(Some('-')) && may_join(*c);
    let is_digit = |c: char| digit(c).is_some();
    let before = text[..place.start].chars().next_back().filter(|c| joins(c, kinds().next()));
    let before = before.map(|c| place.start - c.len_utf8()).filter(|end| {
        let rest = text[..*end].trim_end_matches(is_digit);
        let is_apart = rest.ends_with(|c: char| c.is_alphanumeric() || ":/-.".contains(c));
        rest.len() < *end && !is_apart && !text[place.clone()].starts_with('(')
    });
    let after = text[place.end..].chars().next().filter(|c| joins(c, kinds().next_back()));
    let after = after.map(|c| place.end + c.len_utf8()).filter(|start| {
        let rest = text[*start..].trim_start_matches(is_digit);
        rest.len() < text.len() - start && !rest.starts_with(|c: char| c.is_alphanumeric() || ":/%".contains(c))
    });
    (before, after)
}

/// The sum of Luhn is a multiple of ten.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    let doubled = digits.iter().rev().enumerate().map(|(place, digit)| digit * if place % 2 == 0 { 1 } else { 2 });
    doubled.map(|digit| u32::from(digit / 10 + digit % 10)).sum::<u32>() % 10 == 0
}

/// The place after the character at `at`.
pub(crate) fn after(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The characters before a number in which the word may be that says what it is.
const LOOKBEHIND: usize = 40;

/// The next match of a pattern, or of its group, that stands alone and for which `end_of` finds an end.
pub(crate) fn search(
    text: &str,
    from: usize,
    pattern: &Regex,
    end_of: impl Fn(Range<usize>) -> Option<usize>,
) -> Option<Range<usize>> {
    let mut at = before(text, from, LOOKBEHIND);
    while let Some(found) = pattern.captures_at(text, at) {
        let place = found.get(1).or(found.get(0))?.range();
        let before = &text[..place.start];
        // `T+49 30 901820`
        let named = |name: &str| text[place.clone()].starts_with('+') && !name.ends_with(char::is_alphanumeric);
        let alone = (begins(text, place.start) && !is_signed(before))
            || before.strip_suffix(['T', 'M', 'F']).is_some_and(named);
        if place.start >= from && alone {
            if let Some(end) = end_of(place.clone()) {
                return Some(place.start..end);
            }
        }
        at = after(text, found.get(0)?.start());
    }
    None
}
