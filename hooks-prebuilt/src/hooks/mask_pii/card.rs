//! Numbers of payment cards: the checksum, the issuer's prefix and the length have to fit.

use std::ops::Range;

use crate::digits::{self, Groups, luhn};

/// An issuer: the first digits of its cards, from and to, and their lengths.
struct Issuer(u32, u32, &'static [usize]);

/// Narrow ranges first is not needed: each fits or does not.
const ISSUERS: &[Issuer] = &[
    Issuer(4, 4, &[13, 16, 19]),                           // Visa
    Issuer(51, 55, &[16]),                                 // Mastercard
    Issuer(2221, 2720, &[16]),                             // Mastercard
    Issuer(34, 34, &[15]),                                 // American Express
    Issuer(37, 37, &[15]),                                 // American Express
    Issuer(300, 305, &[14, 16, 17, 18, 19]),               // Diners Club
    Issuer(3095, 3095, &[14, 16, 17, 18, 19]),             // Diners Club
    Issuer(36, 36, &[14, 15, 16, 17, 18, 19]),             // Diners Club
    Issuer(38, 39, &[14, 16, 17, 18, 19]),                 // Diners Club
    Issuer(6011, 6011, &[16, 17, 18, 19]),                 // Discover
    Issuer(644, 659, &[16, 17, 18, 19]),                   // Discover, RuPay, Troy, Elo
    Issuer(3528, 3589, &[16, 17, 18, 19]),                 // JCB
    Issuer(62, 62, &[16, 17, 18, 19]),                     // UnionPay
    Issuer(81, 82, &[16]),                                 // UnionPay, RuPay
    Issuer(2200, 2204, &[16, 17, 18, 19]),                 // Mir
    Issuer(2205, 2205, &[16]),                             // Borica
    Issuer(508, 508, &[16]),                               // RuPay
    Issuer(6060, 6085, &[16]),                             // RuPay
    Issuer(5018, 5018, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(5019, 5019, &[16]),                             // Dankort
    Issuer(5020, 5020, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(5038, 5038, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(5893, 5893, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(6304, 6304, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(6390, 6390, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(6759, 6759, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(6761, 6763, &[12, 13, 14, 15, 16, 17, 18, 19]), // Maestro
    Issuer(5060, 5061, &[16, 18, 19]),                     // Verve
    Issuer(5067, 5067, &[16]),                             // Elo
    Issuer(5090, 5090, &[16]),                             // Elo
    Issuer(636, 639, &[16, 17, 18, 19]),                   // InterPayment, InstaPayment
    Issuer(9792, 9792, &[16]),                             // Troy
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
    ISSUERS.iter().any(|Issuer(low, high, lengths)| {
        let places = low.to_string().len();
        let prefix = digits.iter().take(places).fold(0, |prefix, digit| prefix * 10 + u32::from(*digit));
        (*low..=*high).contains(&prefix) && lengths.contains(&digits.len())
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
