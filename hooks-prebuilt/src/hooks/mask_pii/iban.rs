//! International bank account numbers: the length of the country and the checksum have to fit.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::digits::{self, is_separator};
use crate::parameters::rows;

/// The length of a country's numbers.
static LENGTHS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let country = |row: &'static str| row.split_once(' ').and_then(|(code, length)| Some((code, length.parse().ok()?)));
    rows(include_str!("../../../data/ibans.txt")).filter_map(country).collect()
});

/// The most characters of a number, with its separators.
const MOST: usize = 64;

pub(super) fn next(text: &str, mut from: usize) -> Option<Range<usize>> {
    // The check digits are the first digits of a number.
    loop {
        let check = from + text[from..].find(|c: char| c.is_ascii_digit())?;
        let country = text[from..check].strip_suffix(' ').unwrap_or(&text[from..check]).len() + from;
        let start = country.checked_sub(2).filter(|start| *start >= from && text.is_char_boundary(*start));
        if let Some((start, end)) = start.and_then(|start| Some((start, end(text, start)?))) {
            return Some(start..end);
        }
        from = check + digits::group(&text[check..]).max(1);
    }
}

/// The end of the number that begins at `at`.
fn end(text: &str, at: usize) -> Option<usize> {
    let length = *LENGTHS.get(&*text.get(at..at + 2)?.to_ascii_uppercase())?;
    if !digits::begins(text, at) {
        return None;
    }
    let (mut number, mut end, mut gap) = (String::with_capacity(length), at, 0);
    for (offset, c) in text[at..].char_indices().take(MOST) {
        if c.is_ascii_alphanumeric() {
            // The country and the check digits are one group, or have a space between them.
            if gap > usize::from(number.len() == 2) && number.len() < 4 {
                return None;
            }
            (gap, end) = (0, at + offset + 1);
            number.push(c.to_ascii_uppercase());
            if number.len() == length {
                break;
            }
        } else if is_separator(c) && gap < 3 {
            gap += 1;
        } else {
            break;
        }
    }
    (number.len() == length && !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric()) && is_valid(&number))
        .then_some(end)
}

/// The check digits, from 02 to 98, make the remainder of a division by 97 one.
fn is_valid(number: &str) -> bool {
    let check = &number[2..4];
    let rearranged = number[4..].bytes().chain(number[..4].bytes());
    let rest = rearranged.fold(0, |rest: u32, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1 && ("02"..="98").contains(&check) && check.bytes().all(|byte| byte.is_ascii_digit())
}
