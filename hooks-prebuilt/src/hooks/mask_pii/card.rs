//! Numbers of payment cards: the checksum, the issuer's prefix and the length have to fit.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use crate::digits::{self, digit, is_separator, luhn};
use crate::finder::before;
use crate::parameters::rows;

/// The first digits of an issuer's cards, from and to, and the least and most digits of a card.
struct Issuer {
    prefixes: RangeInclusive<u32>,
    /// The number of digits of a prefix.
    places: usize,
    lengths: RangeInclusive<usize>,
}

static ISSUERS: LazyLock<Vec<Issuer>> = LazyLock::new(|| {
    let issuer = |row: &str| {
        let mut numbers = row.split_whitespace().map(|number| number.split_once('-').unwrap_or((number, number)));
        let ((low, high), (least, most)) = (numbers.next()?, numbers.next()?);
        let (prefixes, lengths) = (low.parse().ok()?..=high.parse().ok()?, least.parse().ok()?..=most.parse().ok()?);
        Some(Issuer { prefixes, places: high.len(), lengths })
    };
    rows(include_str!("../../../data/cards.txt")).filter_map(issuer).collect()
});

/// The most digits of a card, and the most separators between two groups of them, as in `4111 - 1111`.
const MOST: usize = 19;
const GAP: usize = 3;

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + text[at..].find(|c| digit(c).is_some())?;
        let mut begins = digits::starts(text, start).filter(|at| digits::begins(text, *at));
        if let Some(found) = begins.find_map(|at| Some(at..end(text, at)?)) {
            return Some(found);
        }
        at = start + digits::group(&text[start..]);
    }
}

/// The end of the card that begins at `at`, of as many groups as fit.
fn end(text: &str, at: usize) -> Option<usize> {
    let (mut digits, mut sizes, mut end, mut found) = (Vec::new(), Vec::new(), at, None);
    loop {
        let (group, count) = (digits::group(&text[end..]), digits.len());
        digits.extend(text[end..end + group].chars().filter_map(digit));
        if digits.len() == count || digits.len() > MOST {
            return found;
        }
        sizes.push(digits.len() - count);
        end += group;
        let fits = is_printed(&sizes) && digits::ends(text, end) && luhn(&digits) && is_issued(&digits);
        if fits && !is_uuid(text, at..end) && !is_of_codes(text, at..end) {
            found = Some(end);
        }
        let gap = text[end..].chars().take(GAP).take_while(|c| is_separator(*c)).map(char::len_utf8).sum::<usize>();
        if gap == 0 {
            return found;
        }
        end += gap;
    }
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
    ISSUERS.iter().any(|Issuer { prefixes, places, lengths }| {
        let prefix = || digits.iter().take(*places).fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
        lengths.contains(&digits.len()) && prefixes.contains(&prefix())
    }) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether two hexadecimal numbers of four digits are on each side, as in a table: `5F20 54E8 5546 … 5968 59BE 5A12`.
fn is_of_codes(text: &str, place: Range<usize>) -> bool {
    let is_code = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_letter = |word: &str| word.contains(|c: char| c.is_ascii_alphabetic());
    // The end of a text with a digit is held back, but not one without.
    let has_digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let near = &text[before(text, place.start, 11)..place.start];
    let before: Vec<&str> = near.rsplit(char::is_whitespace).take(3).collect();
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
