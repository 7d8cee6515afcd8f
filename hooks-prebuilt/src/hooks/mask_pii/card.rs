//! Numbers of payment cards: the checksum, the issuer's prefix and the length have to fit.

use std::ops::Range;

use crate::digits::{self, Groups, luhn};

/// The first digits of an issuer's cards, from and to, and the least and most digits of a card.
type Issuer = (u32, u32, usize, usize);

/// A prefix occurs for each range of lengths that it has.
// Visa, Mastercard, American Express, Diners Club, Discover and RuPay, JCB, UnionPay, Mir and Borica, Maestro, Dankort, Verve,
// Elo, InterPayment and InstaPayment, Troy.
#[rustfmt::skip]
const ISSUERS: &[Issuer] = &[
    (4, 4, 13, 13), (4, 4, 16, 16), (4, 4, 19, 19), (51, 55, 16, 16), (2221, 2720, 16, 16), (34, 34, 15, 15), (37, 37, 15, 15),
    (300, 305, 14, 14), (300, 305, 16, 19), (3095, 3095, 14, 14), (3095, 3095, 16, 19), (36, 36, 14, 19), (38, 39, 14, 14),
    (38, 39, 16, 19), (6011, 6011, 16, 19), (644, 659, 16, 19), (3528, 3589, 16, 19), (62, 62, 16, 19), (81, 82, 16, 16),
    (2200, 2204, 16, 19), (2205, 2205, 16, 16), (508, 508, 16, 16), (6060, 6085, 16, 16), (5018, 5018, 12, 19),
    (5019, 5019, 16, 16), (5020, 5020, 12, 19), (5038, 5038, 12, 19), (5893, 5893, 12, 19), (6304, 6304, 12, 19),
    (6390, 6390, 12, 19), (6759, 6759, 12, 19), (6761, 6763, 12, 19), (5060, 5061, 16, 16), (5060, 5061, 18, 19),
    (5067, 5067, 16, 16), (5090, 5090, 16, 16), (636, 639, 16, 19), (9792, 9792, 16, 16),
];

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
        (fits && !is_uuid(text, at..end)).then_some(end)
    };
    read.prefixes().find_map(card)
}

/// Whether cards are printed in groups of these sizes.
fn is_printed(sizes: &[usize]) -> bool {
    match sizes {
        [_] | [8, 8] | [6, 13] | [4, 6, 4 | 5] | [4, 3, 3, 3] | [4, 4, 5..=7] => true,
        [first @ .., last] => first.len() >= 2 && first.iter().all(|size| *size == 4) && (1..=4).contains(last),
        [] => false,
    }
}

fn is_issued(digits: &[u8]) -> bool {
    ISSUERS.iter().any(|(low, high, least, most)| {
        let places = low.to_string().len();
        let prefix = digits.iter().take(places).fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
        (*low..=*high).contains(&prefix) && (*least..=*most).contains(&digits.len())
    }) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether the place is within a UUID, whose groups may consist of digits alone.
fn is_uuid(text: &str, place: Range<usize>) -> bool {
    let part = |c: &char| c.is_ascii_hexdigit() || *c == '-';
    let before = text[..place.start].chars().rev().take(36).take_while(part).count();
    let after = text[place.end..].chars().take(36).take_while(part).count();
    let run = &text[place.start - before..place.end + after];
    run.len() == 36 && [8, 13, 18, 23].iter().all(|dash| run.as_bytes()[*dash] == b'-')
}
