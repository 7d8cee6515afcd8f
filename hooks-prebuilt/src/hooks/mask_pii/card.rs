//! Numbers of payment cards: the checksum, the issuer's prefix and the length have to fit.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use crate::digits::{self, Groups, luhn};
use crate::parameters::rows;

/// The first digits of an issuer's cards, from and to, and the least and most digits of a card.
struct Issuer {
    prefixes: RangeInclusive<u32>,
    lengths: RangeInclusive<usize>,
}

static ISSUERS: LazyLock<Vec<Issuer>> = LazyLock::new(|| {
    let issuer = |row: &str| {
        let mut numbers = row.split_whitespace().map(|number| number.split_once('-').unwrap_or((number, number)));
        let ((low, high), (least, most)) = (numbers.next()?, numbers.next()?);
        let (prefixes, lengths) = (low.parse().ok()?..=high.parse().ok()?, least.parse().ok()?..=most.parse().ok()?);
        Some(Issuer { prefixes, lengths })
    };
    rows(include_str!("../../../data/cards.txt")).filter_map(issuer).collect()
});

/// The most digits of a card.
const MOST: usize = 19;

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    digits::next(text, from, |at| end(text, at))
}

/// The end of the card that begins at `at`.
fn end(text: &str, at: usize) -> Option<usize> {
    let read = Groups::at(text, at, MOST);
    let card = |(sizes, digits, end): (Vec<usize>, &[u8], usize)| {
        let fits = is_printed(&sizes) && digits::ends(text, end) && is_issued(digits) && luhn(digits);
        (fits && !is_uuid(text, at..end) && !is_of_codes(text, at..end)).then_some(end)
    };
    read.prefixes().find_map(card)
}

/// Whether cards are printed in groups of these sizes.
fn is_printed(sizes: &[usize]) -> bool {
    match sizes {
        [_] | [8, 8] | [6, 13] | [6, 6, 4 | 6] | [4, 4, 4, 5] | [4, 6, 4 | 5] | [4, 3, 3, 3] | [4, 4, 5..=7] => true,
        [first @ .., last] => first.len() >= 2 && first.iter().all(|size| *size == 4) && (1..=4).contains(last),
        [] => false,
    }
}

fn is_issued(digits: &[u8]) -> bool {
    ISSUERS.iter().any(|Issuer { prefixes, lengths }| {
        let places = prefixes.end().to_string().len();
        let prefix = digits.iter().take(places).fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
        prefixes.contains(&prefix) && lengths.contains(&digits.len())
    }) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether two hexadecimal numbers of four digits are on each side, as in a table: `5F20 54E8 5546 … 5968 59BE 5A12`.
fn is_of_codes(text: &str, place: Range<usize>) -> bool {
    let is_code = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_letter = |word: &str| word.contains(|c: char| c.is_ascii_alphabetic());
    // The end of a text with a digit is held back, but not one without.
    let has_digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let before = &text[digits::before(text, place.start, 11)..place.start];
    let before: Vec<&str> = before.rsplit(char::is_whitespace).take(3).collect();
    let after: String = text[place.end..].chars().take(11).take_while(|c| *c != '\n').collect();
    let after: Vec<&str> = after.split(' ').take(3).collect();
    let is_between =
        |words: &[&str]| matches!(words, ["", near, far] if is_code(near) && is_code(far) && has_letter(near));
    is_between(&before) && is_between(&after) && after[1..].iter().all(|word| has_digit(word))
}

/// Whether the place is within a UUID, whose groups may consist of digits alone.
fn is_uuid(text: &str, place: Range<usize>) -> bool {
    let part = |c: &char| c.is_ascii_hexdigit() || *c == '-';
    let before = text[..place.start].chars().rev().take(36).take_while(part).count();
    let after = text[place.end..].chars().take(36).take_while(part).count();
    let run = &text[place.start - before..place.end + after];
    run.len() == 36 && [8, 13, 18, 23].iter().all(|dash| run.as_bytes()[*dash] == b'-')
}
