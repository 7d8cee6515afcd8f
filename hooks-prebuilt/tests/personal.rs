//! Generates personal data, and numbers that are nearly personal data, in sentences. The tests and the benchmark use it.

/// A generator of numbers that is the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap_or_default()
    }

    pub(crate) fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap_or_default())).collect()
    }

    fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'a' + u8::try_from(self.below(26)).unwrap_or_default())).collect()
    }
}

/// A sentence, and the values in it that have to be masked.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) values: Vec<String>,
}

/// The digit that makes the sum of Luhn fit.
fn luhn(digits: &str) -> char {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0') * if place % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

fn grouped(digits: &str, sizes: &[usize], separator: &str) -> String {
    let mut at = 0;
    let groups = sizes.iter().map(|size| {
        at += size;
        &digits[at - size..at.min(digits.len())]
    });
    groups.collect::<Vec<_>>().join(separator)
}

fn card_digits(random: &mut Random) -> String {
    let issuers = [
        ("4", 16),
        ("51", 16),
        ("55", 16),
        ("2221", 16),
        ("2720", 16),
        ("34", 15),
        ("37", 15),
        ("6011", 16),
        ("65", 16),
        ("3530", 16),
        ("36", 14),
        ("62", 16),
        ("6759", 16),
        ("4", 13),
        ("5019", 16),
    ];
    let (prefix, length) = issuers[random.below(issuers.len())];
    let body = format!("{prefix}{}", random.digits(length - 1 - prefix.len()));
    format!("{body}{}", luhn(&body))
}

fn printed_card(random: &mut Random, digits: &str) -> String {
    let separator = random.one_of(&["", " ", "-", " ", "\u{a0}"]);
    match digits.len() {
        16 => grouped(digits, &[4, 4, 4, 4], separator),
        15 => grouped(digits, &[4, 6, 5], separator),
        14 => grouped(digits, &[4, 6, 4], separator),
        _ => digits.to_owned(),
    }
}

pub(crate) fn card(random: &mut Random) -> String {
    let digits = card_digits(random);
    printed_card(random, &digits)
}

/// A card with a wrong check digit, a wrong prefix, or a wrong length; or a number that only looks like one.
pub(crate) fn nearly_card(random: &mut Random) -> String {
    let digits = card_digits(random);
    match random.below(6) {
        0 => {
            let wrong =
                (digits.as_bytes()[digits.len() - 1] - b'0' + 1 + u8::try_from(random.below(9)).unwrap_or_default())
                    % 10;
            printed_card(random, &format!("{}{wrong}", &digits[..digits.len() - 1]))
        }
        1 => {
            let body = format!("{}{}", random.one_of(&["1", "7", "9", "0"]), random.digits(14));
            printed_card(random, &format!("{body}{}", luhn(&body)))
        }
        2 => {
            let body = format!("4{}", random.digits(13));
            format!("{body}{}", luhn(&body)) // 15 digits
        }
        3 => format!("17{}", random.digits(11)), // a time in milliseconds
        4 => format!("0.{digits}"),
        _ => {
            format!("{}-{}-4{}-8{}-{}", hex(random, 8), hex(random, 4), hex(random, 3), hex(random, 3), hex(random, 12))
        }
    }
}

fn hex(random: &mut Random, count: usize) -> String {
    (0..count)
        .map(|_| char::from_digit(u32::try_from(random.below(16)).unwrap_or_default(), 16).unwrap_or('0'))
        .collect()
}

/// The remainder by 97 of an IBAN, with its first four characters at the end.
fn remainder(number: &str) -> u32 {
    let moved = number[4..].chars().chain(number[..4].chars());
    moved.filter_map(|c| c.to_digit(36)).fold(0, |rest, value| (rest * if value > 9 { 100 } else { 10 } + value) % 97)
}

fn iban_characters(random: &mut Random) -> String {
    let countries = [
        ("DE", "", 18),
        ("GB", "NWBK", 14),
        ("FR", "", 23),
        ("NL", "ABNA", 10),
        ("ES", "", 20),
        ("IT", "X", 22),
        ("CH", "", 17),
        ("BE", "", 12),
        ("NO", "", 11),
        ("PL", "", 24),
        ("MT", "MALT", 23),
        ("SE", "", 20),
        ("AT", "", 16),
        ("IE", "AIBK", 14),
    ];
    let (country, bank, digits) = countries[random.below(countries.len())];
    let account = format!("{bank}{}", random.digits(digits));
    let check = 98 - remainder(&format!("{country}00{account}"));
    format!("{country}{check:02}{account}")
}

fn printed_iban(random: &mut Random, number: &str) -> String {
    let separator = random.one_of(&["", " ", " ", "-"]);
    let groups: Vec<&str> = (0..number.len()).step_by(4).map(|at| &number[at..(at + 4).min(number.len())]).collect();
    groups.join(separator)
}

pub(crate) fn iban(random: &mut Random) -> String {
    let number = iban_characters(random);
    printed_iban(random, &number)
}

pub(crate) fn nearly_iban(random: &mut Random) -> String {
    let number = iban_characters(random);
    let wrong = match random.below(3) {
        0 => {
            let check: u32 = number[2..4].parse().unwrap_or_default();
            format!(
                "{}{:02}{}",
                &number[..2],
                2 + (check + 1 + u32::try_from(random.below(90)).unwrap_or_default()) % 97,
                &number[4..]
            )
        }
        1 => number[..number.len() - 1].to_owned(),
        _ => format!("ZZ{}", &number[2..]),
    };
    if wrong == number { "DE00370400440532013000".to_owned() } else { printed_iban(random, &wrong) }
}

pub(crate) fn email(random: &mut Random) -> String {
    let first = random.one_of(&["ada", "o'brien", "jean-luc", "x", "MARIA", "li_wei", "info", "j.r.r"]);
    let last = random.one_of(&["lovelace", "smith", "garcia", "99", "nguyen", "müller"]);
    let local = match random.below(5) {
        0 => first.to_owned(),
        1 => format!("{first}.{last}"),
        2 => format!("{first}+{last}"),
        3 => format!("{first}_{last}{}", random.below(100)),
        _ => format!("{}{}", first, random.digits(3)),
    };
    let host = random.one_of(&[
        "example.com",
        "mail.example.co.uk",
        "exa-mple.org",
        "post.de",
        "sub.domain.travel",
        "x.io",
        "xn--mnchen-3ya.de",
        "例え.example.jp",
    ]);
    let host = if host.is_ascii() { host } else { "example.jp" };
    format!("{local}@{host}")
}

pub(crate) fn nearly_email(random: &mut Random) -> String {
    let name = random.letters(5);
    match random.below(10) {
        0 => format!("{name}@{}", random.one_of(&["localhost", "home", "office"])),
        1 => format!("@{name}"),
        2 => format!("{name}@{}.{}.{}", random.below(9), random.below(20), random.below(9)),
        3 => format!("icon@{}x.png", 2 + random.below(2)),
        4 => format!("git@{name}.com:team/{name}.git"),
        5 => format!("https://{name}@{name}.com/path"),
        6 => format!("{name} @ {name}.com"),
        7 => format!("{name}@.com"),
        8 => format!("postgres://{name}:{name}@db.{name}.com/app"),
        _ => format!("@{name}@{name}.social"),
    }
}

pub(crate) fn phone(random: &mut Random) -> String {
    let (area, exchange) = (
        format!("{}{}", 2 + random.below(8), random.digits(2)),
        format!("{}{}", 2 + random.below(8), random.digits(2)),
    );
    let line = random.digits(4);
    match random.below(12) {
        0 => format!("+1 ({area}) {exchange}-{line}"),
        1 => format!("({area}) {exchange}-{line}"),
        2 => format!("{area}-{exchange}-{line}"),
        3 => format!("+1-{area}-{exchange}-{line}"),
        4 => format!("{area}.{exchange}.{line}"),
        5 => format!("+49 30 {}", random.digits(6)),
        6 => format!("+44 20 7{} {}", random.digits(3), random.digits(4)),
        7 => format!("+33 6 {} {} {} {}", random.digits(2), random.digits(2), random.digits(2), random.digits(2)),
        8 => format!("0{} {}", 151 + random.below(20), random.digits(7)),
        9 => format!("020 7{} {}", random.digits(3), random.digits(4)),
        10 => format!("+91 9{} {}", random.digits(4), random.digits(5)),
        _ => format!("0049 {} {}", 151 + random.below(20), random.digits(7)),
    }
}

pub(crate) fn nearly_phone(random: &mut Random) -> String {
    match random.below(10) {
        0 => format!("2024-{:02}-{:02}", 1 + random.below(12), 1 + random.below(28)),
        1 => format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(60)),
        2 => format!("order {}", random.digits(10)),
        3 => format!("{}.{}.{}", random.below(20), random.below(20), random.below(200)),
        4 => format!("{},{},{}", 1 + random.below(9), random.digits(3), random.digits(3)),
        5 => format!("{} {}", random.below(900), random.below(90)),
        6 => format!("ISBN 978-3-16-{}-0", random.digits(6)),
        7 => format!("{:02}.{:02}.2024", 1 + random.below(28), 1 + random.below(12)),
        8 => format!("+{}", random.below(1000)),
        _ => format!("{}x{}", 100 + random.below(900), random.digits(3)),
    }
}

pub(crate) fn ip(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("2001:db8::{}1", hex(random, 3)),
        1 => format!("fe80::{:x}:{:x}", 1 + random.below(65_000), 1 + random.below(65_000)),
        _ => format!("{}.{}.{}.{}", 1 + random.below(223), random.below(256), random.below(256), random.below(256)),
    }
}

pub(crate) fn nearly_ip(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{}.{}.{}.{}", 256 + random.below(700), random.below(256), random.below(256), random.below(256)),
        1 => format!("version {}.{}.{}.{}", random.below(20), random.below(20), random.below(20), random.below(20)),
        2 => "std::collections::hash_map".to_owned(),
        3 => format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(60)),
        4 => format!("00:1a:2b:3c:4d:{}", hex(random, 2)),
        _ => format!("{}.{}.{}", random.below(20), random.below(20), random.below(20)),
    }
}

pub(crate) fn us_ssn(random: &mut Random) -> String {
    let (area, group, serial) = (1 + random.below(665), 1 + random.below(99), 1 + random.below(9999));
    let separator = random.one_of(&["-", "-", " "]);
    format!("{area:03}{separator}{group:02}{separator}{serial:04}")
}

pub(crate) fn nearly_us_ssn(random: &mut Random) -> String {
    let (area, group, serial) = (1 + random.below(665), 1 + random.below(99), 1 + random.below(9999));
    match random.below(6) {
        0 => format!("000-{group:02}-{serial:04}"),
        1 => format!("666-{group:02}-{serial:04}"),
        2 => format!("9{:02}-{group:02}-{serial:04}", random.below(100)),
        3 => format!("{area:03}-00-{serial:04}"),
        4 => format!("{area:03}-{group:02}-0000"),
        _ => random.digits(9),
    }
}

/// The types with a generator of values and one of texts that are none.
pub(crate) type Maker = fn(&mut Random) -> String;
pub(crate) const TYPES: &[(&str, Maker, Maker)] = &[
    ("email", email, nearly_email),
    ("card", card, nearly_card),
    ("iban", iban, nearly_iban),
    ("phone", phone, nearly_phone),
    ("ip", ip, nearly_ip),
    ("us_ssn", us_ssn, nearly_us_ssn),
];

const SENTENCES: &[&str] = &[
    "{}",
    "My number is {}, thanks.",
    "Please send it to {}.",
    "请联系{}谢谢",
    "({})",
    "\"{}\"",
    "a={}; b=2",
    "* {}\n* next",
    "{} and {}",
    "first {}, then nothing",
    "<td>{}</td>",
    "Позвоните {} завтра",
    "line one\n{}\nline three",
    "| {} | x |",
    "**{}**",
    "see: {}!",
];

/// Sentences with values, or with texts that are none.
pub(crate) fn cases(random: &mut Random, make: Maker, is_value: bool, count: usize) -> Vec<Case> {
    let mut case = || {
        let (mut text, mut values) = (random.one_of(SENTENCES).to_owned(), Vec::new());
        while text.contains("{}") {
            let value = make(random);
            text = text.replacen("{}", &value, 1);
            values.push(value);
        }
        Case { text, values: if is_value { values } else { Vec::new() } }
    };
    (0..count).map(|_| case()).collect()
}
