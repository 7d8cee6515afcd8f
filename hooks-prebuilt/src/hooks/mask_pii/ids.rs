//! Ids of persons that states give out. Each but the American has a checksum.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Recogniser;
use crate::digits::{SEPARATORS, ends, luhn, search};

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'Z' => Some(byte),
        b'a'..=b'z' => Some(byte.to_ascii_uppercase()),
        _ => None,
    }
}

/// Defines each id: its pattern, in which `_` stands for a separator or none, and its checksum. That gets digits as
/// numbers, and letters as their upper-case codes.
macro_rules! ids {
    ($($name:ident: $pattern:literal, $fits:expr;)*) => {
        pub(super) static IDS: &[Recogniser] = &[$(Recogniser {
            name: stringify!($name),
            digits: true,
            next: |text, from| {
                static PATTERN: LazyLock<Option<Regex>> =
                    LazyLock::new(|| Regex::new(&$pattern.replace('_', &format!("{SEPARATORS}?"))).ok());
                search(text, from, PATTERN.as_ref()?, |place| end(text, place, $fits))
            },
        }),*];
    };
}

/// The end of an id, unless its characters do not fit or it goes on.
fn end(text: &str, place: Range<usize>, fits: fn(&[u8]) -> bool) -> Option<usize> {
    let rest = text[place.end..].strip_prefix('-').unwrap_or_default();
    let is_whole = ends(text, place.end) && !rest.starts_with(|c: char| c.is_ascii_digit());
    let id: Vec<u8> = text[place.clone()].bytes().filter_map(value).collect();
    (is_whole && fits(&id)).then_some(place.end)
}

ids! {
    // The tax file number of Australia.
    au_tfn: r"[0-9]{3}_[0-9]{3}_[0-9]{3}", |id| sums(id, &[1, 4, 3, 7, 5, 8, 6, 9, 10], 11);
    // The national number of Belgium; those born since 2000 have a two before it.
    be_national_number: r"[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{3}_[0-9]{2}", |id| {
        let born = |century: u64| 97 - (century + number(&id[..9])) % 97 == number(&id[9..]);
        id[2] * 10 + id[3] <= 12 && id[4] * 10 + id[5] <= 31 && number(&id[..9]) > 0 && (born(0) || born(2_000_000_000))
    };
    // The tax number of Brazil.
    br_cpf: r"[0-9]{3}_[0-9]{3}_[0-9]{3}_[0-9]{2}", |id| {
        let check = |length: usize| {
            let sum: usize = id[..length].iter().zip((2..=length + 1).rev()).map(|(digit, weight)| usize::from(*digit) * weight).sum();
            sum * 10 % 11 % 10 == usize::from(id[length])
        };
        id.iter().any(|digit| *digit != id[0]) && check(9) && check(10)
    };
    // The social insurance number of Canada.
    ca_sin: r"[1-79][0-9]{2}_[0-9]{3}_[0-9]{3}", luhn;
    // The insurance number of Switzerland.
    ch_ahv: r"756_[0-9]{4}_[0-9]{4}_[0-9]{2}", |id| sums(id, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10);
    // The tax number of Germany: one digit occurs twice or three times, the others at most once.
    de_tax_id: r"[1-9][0-9](?:_|/)[0-9]{3}(?:_|/)[0-9]{3}(?:_|/)[0-9]{3}", |id| {
        let product = id[..10].iter().fold(10, |product, digit| {
            let sum = (digit + product) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
        let count = |digit: u8| id[..10].iter().fold(0, |count, other| count + u8::from(*other == digit));
        let repeated: Vec<u8> = (0..10).map(count).filter(|count| *count > 1).collect();
        matches!(repeated[..], [2 | 3]) && (11 - product) % 10 == id[10]
    };
    // The tax number of Spain, for citizens and for foreigners. K, L and M are for those without another number.
    es_nif: r"(?:[0-9]{2}|[XYZKLMxyzklm]_[0-9])_[0-9]{3}_[0-9]{3}(?:[A-Za-z]|-[A-Za-z]|_[A-Z])", |id| {
        let first = match id[0] { b'K'..=b'M' => 0, digit @ 0..10 => digit, letter => letter - b'X' };
        let number = u64::from(first) * 10_000_000 + number(&id[1..8]);
        b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize] == id[8]
    };
    // The personal identity code of Finland.
    fi_identity_code: r"(?i)[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-Y]", |id| {
        let digits: Vec<u8> = id[..id.len() - 1].iter().copied().filter(|code| *code < 10).collect();
        let is_born = is_day(id[2] * 10 + id[3], id[0] * 10 + id[1]);
        digits.len() == 9 && is_born && value(b"0123456789ABCDEFHJKLMNPRSTUVWXY"[(number(&digits) % 31) as usize]) == id.last().copied()
    };
    // The social security number of France. The departments of Corsica have a letter.
    fr_nir: r"[12]_[0-9]{2}_(?:0[1-9]|1[0-2]|[2-4][0-9])_(?:[0-9]{2}|2[AaBb])_[0-9]{3}_[0-9]{3}_[0-9]{2}", |id| {
        let department = match id[6] { b'A' => 19, b'B' => 18, digit => id[5] * 10 + digit };
        let first = number(&id[..5]) * 100_000_000 + u64::from(department) * 1_000_000 + number(&id[7..13]);
        97 - first % 97 == number(&id[13..])
    };
    // The identity number of India.
    in_aadhaar: r"[2-9][0-9]{3}_[0-9]{4}_[0-9]{4}", verhoeff;
    // The tax code of Italy.
    it_fiscal_code: r"(?i)[A-Z]{3}_[A-Z]{3}_[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}_[A-Z][0-9LMNPQRSTUV]{3}[A-Z]", |id| {
        const ODD: [u8; 26] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
        let place = |code: u8| if code < 10 { code } else { code - b'A' };
        let odd = |code: u8| ODD[usize::from(place(code))];
        let value = |(at, code): (usize, &u8)| u32::from(if at % 2 == 0 { odd(*code) } else { place(*code) });
        // Letters can stand for digits, and the day of a woman has 40 more.
        let digit = |code: u8| b"LMNPQRSTUV".iter().zip(0..).find(|(letter, _)| **letter == code).map_or(code, |(_, digit)| digit);
        let (month, day) = (b"ABCDEHLMPRST".iter().zip(1..).find(|(letter, _)| **letter == id[8]), digit(id[9]) * 10 + digit(id[10]));
        day < 80 && month.is_some_and(|(_, month)| is_day(month, day % 40)) && id[..15].iter().enumerate().map(value).sum::<u32>() % 26 == u32::from(place(id[15]))
    };
    // The citizen service number of the Netherlands.
    nl_bsn: r"[0-9]{3}_[0-9]{3}_[0-9]{3}|[0-9]{4}_[0-9]{2}_[0-9]{3}", |id| sums(id, &[9, 8, 7, 6, 5, 4, 3, 2, 10], 11);
    // The population number of Poland.
    pl_pesel: r"[0-9]{11}", |id| is_day(id[2] % 2 * 10 + id[3], id[4] * 10 + id[5]) && sums(id, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10);
    // The personal number of Sweden; a day above 60 is one of a coordination number.
    se_personal_number: r"(?:[12][0-9])?[0-9]{2}[01][0-9][0-9]{2}(?:_|[+])[0-9]{4}", |id| {
        let id = &id[id.len() - 10..];
        luhn(id) && is_day(id[2] * 10 + id[3], (id[4] * 10 + id[5]) % 60)
    };
    // The number of the National Health Service of the United Kingdom.
    uk_nhs: r"[0-9]{3}_[0-9]{3}_[0-9]{4}", |id| {
        // In Scotland it begins with a date of birth.
        let is_given = number(&id[..3]) >= 320 || is_day(id[2] * 10 + id[3], id[0] * 10 + id[1]);
        is_given && sums(id, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11)
    };
    // The American social security number has no checksum; some parts of it were never given out.
    us_ssn: r#"(?i)(?:ssn|social[ \x5f]?security)(?:[ \t:=."'#\x5f]|number|no|is){0,8}([0-9]{3}_[0-9]{2}_[0-9]{4})|[0-9]{3}(?:[-\u{2010}-\u{2013}][0-9]{2}[-\u{2010}-\u{2013}]|[ \u{a0}\u{202f}][0-9]{2}[ \u{a0}\u{202f}])[0-9]{4}"#, |id| {
        let (area, group, serial) = (number(&id[..3]), number(&id[3..5]), number(&id[5..]));
        let printed = [(78, 5, 1120), (219, 9, 9999)];
        area > 0 && area < 900 && area != 666 && group > 0 && serial > 0 && !printed.contains(&(area, group, serial))
    };
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit))
}

fn is_day(month: u8, day: u8) -> bool {
    let days = match month {
        1..=12 => 30 + (month + month / 8) % 2 - u8::from(month == 2),
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The digits times their weights are a multiple of `modulus`, and not all of them are zero.
fn sums(digits: &[u8], weights: &[u32], modulus: u32) -> bool {
    let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    sum > 0 && sum % modulus == 0
}

/// The checksum of Verhoeff, in the dihedral group of ten elements.
#[rustfmt::skip]
fn verhoeff(digits: &[u8]) -> bool {
    const PERMUTATION: [&[u8; 10]; 8] = [
        b"0123456789", b"1576283094", b"5803796142", b"8916043527", b"9453126870", b"4286573901", b"2793806415", b"7046913258",
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
        .fold(0, |check, (place, digit)| product(check, PERMUTATION[place % 8][usize::from(*digit)] - b'0'));
    check == 0
}
