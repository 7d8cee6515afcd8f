//! Ids of persons that states give out. Each but the American has a checksum.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::digits::{self, begins, ends, luhn};

/// The American social security number has no checksum; some parts of it were never given out.
pub(super) fn us_ssn(text: &str, from: usize) -> Option<Range<usize>> {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i)[0-9]{3}(?:-[0-9]{2}-|[ \u{a0}][0-9]{2}[ \u{a0}])[0-9]{4}|(?:ssn|social security)(?:[ \t:=."'#]|number|no|is){0,8}([0-9]{9})"#).ok()
    });
    next(text, from, PATTERN.as_ref()?, |id| {
        let number = |place: Range<usize>| id[place].iter().fold(0, |number, digit| number * 10 + u32::from(*digit));
        let (area, group, serial) = (number(0..3), number(3..5), number(5..9));
        let printed = [(78, 5, 1120), (219, 9, 9999)];
        area > 0 && area < 900 && area != 666 && group > 0 && serial > 0 && !printed.contains(&(area, group, serial))
    })
}

/// The characters before a number in which the word may be that says what it is.
const LOOKBEHIND: usize = 40;

/// The next match of a pattern whose characters fit. They are digits as numbers, and letters as their upper-case codes.
fn next(text: &str, from: usize, pattern: &Regex, fits: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    let mut at = digits::before(text, from, LOOKBEHIND);
    while let Some(found) = pattern.captures_at(text, at) {
        let place = found.get(1).or(found.get(0))?.range();
        let id: Vec<u8> = text[place.clone()].bytes().filter_map(value).collect();
        let alone = begins(text, place.start)
            && ends(text, place.end)
            && !text[..place.start].ends_with(['-', '+'])
            && !text[place.end..].strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if place.start >= from && alone && fits(&id) {
            return Some(place);
        }
        at = digits::after(text, found.get(0)?.start());
    }
    None
}

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'Z' => Some(byte),
        b'a'..=b'z' => Some(byte.to_ascii_uppercase()),
        _ => None,
    }
}

/// Defines a function for each id: its pattern and its checksum.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $pattern:literal, $fits:expr;)*) => {
        $($(#[$doc])* pub(super) fn $name(text: &str, from: usize) -> Option<Range<usize>> {
            static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($pattern).ok());
            next(text, from, PATTERN.as_ref()?, $fits)
        })*
    };
}

ids! {
    /// The number of the National Health Service of the United Kingdom.
    uk_nhs: r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}", |id| {
        let check = (11 - weighted(&id[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
        check == u64::from(id[9])
    };
    /// The citizen service number of the Netherlands.
    nl_bsn: r"[0-9]{9}|[0-9]{4}\.[0-9]{2}\.[0-9]{3}", |id| {
        let sum = weighted(&id[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
        sum > 0 && sum % 11 == u64::from(id[8])
    };
    /// The tax number of Spain, for citizens and for foreigners.
    es_nif: r"(?i)(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-Z]", |id| {
        let first = if id[0] >= b'X' { id[0] - b'X' } else { id[0] };
        let number = id[1..8].iter().fold(u64::from(first), |number, digit| number * 10 + u64::from(*digit));
        b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize] == id[8]
    };
    /// The tax code of Italy.
    it_fiscal_code: r"(?i)[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]", |id| {
        const ODD: [u64; 26] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
        let place = |code: u8| usize::from(if code < 10 { code } else { code - b'A' });
        let even = |code: u8| place(code) as u64;
        let sum: u64 = id[..15].iter().enumerate().map(|(at, code)| if at % 2 == 0 { ODD[place(*code)] } else { even(*code) }).sum();
        even(id[15]) == sum % 26
    };
    /// The population number of Poland.
    pl_pesel: r"[0-9]{11}", |id| {
        let (month, day) = ((id[2] % 2) * 10 + id[3], id[4] * 10 + id[5]);
        let check = (10 - weighted(&id[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10) % 10;
        check == u64::from(id[10]) && (1..=12).contains(&month) && (1..=31).contains(&day)
    };
    /// The social security number of France.
    fr_nir: r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-4][0-9]) ?(?:[0-9]{2}|2[AaBb]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", |id| {
        let department: (u64, u64) = if id[6] == b'A' { (1, 9) } else if id[6] == b'B' { (1, 8) } else { (id[5].into(), id[6].into()) };
        let digits = id[..5].iter().map(|digit| u64::from(*digit)).chain([department.0, department.1]).chain(id[7..13].iter().map(|digit| u64::from(*digit)));
        let number = digits.fold(0, |number, digit| number * 10 + digit);
        97 - number % 97 == u64::from(id[13] * 10 + id[14])
    };
    /// The tax number of Germany.
    de_tax_id: r"[1-9][0-9] ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", |id| {
        let mut product = 10;
        for digit in &id[..10] {
            let sum = (u64::from(*digit) + product) % 10;
            product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
        }
        // One digit occurs twice or three times, the others at most once.
        let mut counts = [0; 10];
        id[..10].iter().for_each(|digit| counts[usize::from(*digit)] += 1);
        counts.iter().filter(|count| **count > 1).count() == 1 && (11 - product) % 10 == u64::from(id[10])
    };
    /// The tax number of Brazil.
    br_cpf: r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}", |id| {
        let check = |length: usize| {
            let weights: Vec<u64> = (2..=length as u64 + 1).rev().collect();
            weighted(&id[..length], &weights) * 10 % 11 % 10 == u64::from(id[length])
        };
        id.iter().any(|digit| *digit != id[0]) && check(9) && check(10)
    };
    /// The social insurance number of Canada.
    ca_sin: r"[1-79][0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{3}", luhn;
    /// The tax file number of Australia.
    au_tfn: r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}", |id| {
        let sum = weighted(id, &[1, 4, 3, 7, 5, 8, 6, 9, 10]);
        sum > 0 && sum % 11 == 0
    };
    /// The identity number of India.
    in_aadhaar: r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}", verhoeff;
    /// The personal number of Sweden.
    se_personal_number: r"(?:[12][0-9])?[0-9]{2}[01][0-9][0-9]{2}[-+]?[0-9]{4}", |id| {
        let id = &id[id.len() - 10..];
        let (month, day) = (id[2] * 10 + id[3], id[4] * 10 + id[5]);
        luhn(id) && (1..=12).contains(&month) && ((1..=31).contains(&day) || (61..=91).contains(&day))
    };
    /// The insurance number of Switzerland.
    ch_ahv: r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}", |id| {
        (10 - weighted(&id[..12], &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10) % 10 == u64::from(id[12])
    };
    /// The personal identity code of Finland.
    fi_identity_code: r"(?i)[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-Y]", |id| {
        let digits = id.iter().filter(|code| **code < 10).copied().collect::<Vec<_>>();
        let (Some(number), Some(last)) = (digits.get(..9), id.last()) else { return false };
        let number = number.iter().fold(0, |number, digit| number * 10 + u64::from(*digit));
        let expected = b"0123456789ABCDEFHJKLMNPRSTUVWXY"[(number % 31) as usize];
        value(expected) == Some(*last)
    };
    /// The national number of Belgium.
    be_national_number: r"[0-9]{2}\.?[0-9]{2}\.?[0-9]{2}-?[0-9]{3}\.?[0-9]{2}", |id| {
        let number = id[..9].iter().fold(0, |number, digit| number * 10 + u64::from(*digit));
        let check = u64::from(id[9]) * 10 + u64::from(id[10]);
        let (month, day) = (id[2] * 10 + id[3], id[4] * 10 + id[5]);
        let born = |number: u64| 97 - number % 97 == check;
        month <= 12 && day <= 31 && number > 0 && (born(number) || born(2_000_000_000 + number))
    };
}

fn weighted(digits: &[u8], weights: &[u64]) -> u64 {
    digits.iter().zip(weights).map(|(digit, weight)| u64::from(*digit) * weight).sum()
}

/// The checksum of Verhoeff, in the dihedral group of ten elements.
fn verhoeff(digits: &[u8]) -> bool {
    const PERMUTATION: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u8, b: u8| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let check = digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |check, (place, digit)| product(check, PERMUTATION[place % 8][usize::from(*digit)]));
    check == 0
}
