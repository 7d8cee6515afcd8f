//! Telephone numbers: international, North American, and national with a leading zero; without form only after a word
//! such as `phone`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::digits::{ends, search};
use crate::parameters::rows;

/// The beginnings of numbers, with the length of the country code and the most digits after it.
static COUNTRIES: LazyLock<Vec<(&str, usize, usize)>> = LazyLock::new(|| {
    let country = |row: &'static str| {
        let (code, most) = row.split_once(' ')?;
        Some((code.trim_end_matches('?'), code.len(), most.parse().ok()?))
    };
    rows(include_str!("../../../data/phones.txt")).filter_map(country).collect()
});

/// The least digits of a number without its country code.
const LEAST: usize = 7;

static PATTERNS: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
    let digits = r"[0-9](?:[ \u{a0}\u{2010}-\u{2015}./-]{0,2}[(]?[0-9][)]?){7,16}";
    Some([
        // International: `+49 30 901820`, `0049 30 901820`, `+44 (0)20 7946 0958`.
        Regex::new(r"(?:[+]|%2B|00)[ (]?[1-9](?:[ \u{a0}\u{2010}-\u{2015}./-]{0,3}\(?[0-9]\)?(?:\)[ -]?)?){6,16}").ok()?,
        // North American: `(415) 555-2671`, `1-415-555-2671`, `415.555.2671`. Brazilian: `(11) 94596-9238`. Russian:
        // `8 (957) 486-77-74`. Indian: `98493 59386`. Australian: `1800 636 425`.
        Regex::new(r"(?:\([1-9]{2}\) ?9?|[1-9]{2} 9)[0-9]{4}-[0-9]{4}|8 ?(?:\(9[0-9]{2}\)|9[0-9]{2}) ?[0-9]{3}[ -][0-9]{2}[ -][0-9]{2}|[6-9][0-9]{4} [0-9]{5}|1[38]00 [0-9]{3} [0-9]{3}|(?:1[ .-]?)?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]|1[0-9]{2}-)[0-9]{3}[ .-][0-9]{4}").ok()?,
        // National: `030 901820`, `01 23 45 67 89`, `(020) 7946 0958`.
        Regex::new(r"(?:\(0 ?[1-9][0-9]{0,3}\)|0[1-9][0-9]{0,3})(?:[ \u{a0}/-][0-9]{2,8}(?:[ \u{a0}.-][0-9]{2,4}){0,4}|(?:\.[0-9]{2}){4})").ok()?,
        // After a word that says so.
        Regex::new(&format!(r#"(?i)(?:phone|telefon|téléphone|whatsapp|wa[.]me/|(?:\b|_)(?:mobile|cell|tel|handy|fax|fon)|(?-i:[a-z](?:Mobile|Cell|Tel|Handy|Fax))|call (?:me|us) (?:at|on))(?:[ \t:=."'#_]|number|no|nr|is|at){{0,8}}({digits})"#)).ok()?,
    ])
});

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let [international, american, national, named] = PATTERNS.as_ref()?;
    let found = [
        search(text, from, international, |found| international_end(text, found)),
        search(text, from, american, |found| ends(text, found.end).then_some(found.end)),
        search(text, from, national, |found| national_end(text, found)),
        search(text, from, named, |found| named_end(text, found)),
    ];
    found.into_iter().flatten().min_by_key(|found| (found.start, usize::MAX - found.end))
}

/// As many digits as the country allows.
fn international_end(text: &str, found: Range<usize>) -> Option<usize> {
    let number = &text[found.clone()];
    let plus = number.starts_with(['+', '%']);
    let after = if number.starts_with('+') { 1 } else { 2 + usize::from(plus) };
    let digits: String = number[after..].replace("(0)", "").chars().filter(char::is_ascii_digit).collect();
    let (code, most) = country(&digits)?;
    // Without a plus, digits alone and decimals may be any number.
    if !plus && (!number.contains([' ', '-', '/', '(', '.']) || number.get(3..4) == Some(".") || is_code(number)) {
        return None;
    }
    let least = match &digits[..code] {
        "1" if digits[1..].starts_with(['0', '1']) => return None,
        "1" | "7" => most,
        "376" => 6,
        _ => LEAST,
    };
    let before = code + usize::from(number.contains("(0)")) + count(&number[..after]);
    longest_end(text, found, |number| (before + least..=before + most).contains(&count(number)))
}

fn count(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
}

/// The end of the longest beginning that fits and ends with a group.
fn longest_end(text: &str, found: Range<usize>, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let after_digit = |end: &usize| text.as_bytes()[*end - 1].is_ascii_digit() && ends(text, *end);
    (found.start + 1..=found.end).rev().filter(after_digit).find(|end| fits(&text[found.start..*end]))
}

/// The length of the country code, and the most digits after it.
fn country(digits: &str) -> Option<(usize, usize)> {
    let mut known = COUNTRIES.iter().filter(|(code, ..)| digits.starts_with(code));
    known.next().map(|(_, length, most)| (*length, *most))
}

/// Nine to eleven digits with at least one gap.
fn national_end(text: &str, found: Range<usize>) -> Option<usize> {
    longest_end(text, found, |number| (9..=11).contains(&count(number)) && !is_date(number) && !is_code(number))
}

fn named_end(text: &str, found: Range<usize>) -> Option<usize> {
    let number = &text[found.clone()];
    ((7..=15).contains(&count(number)) && !is_date(number) && ends(text, found.end)).then_some(found.end)
}

/// Whether a number begins with a date: `2024-01-02`, `01-02-2024 12:00`.
fn is_date(number: &str) -> bool {
    let mut groups = number.split(['-', '/', '.', ' ']);
    let (Some(first), Some(second), Some(third)) = (groups.next(), groups.next(), groups.next()) else { return false };
    let year = |group: &str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    let within = |group: &str| group.parse().ok().filter(|day| group.len() == 2 && (1..=31_u8).contains(day));
    if year(first) && number.len() == 10 {
        return second.len() == 2 && third.len() == 2;
    }
    let is_day = within(first).zip(within(second)).is_some_and(|(first, second)| first.min(second) <= 12);
    let sign = &number[first.len()..=first.len()];
    is_day
        && year(third)
        && sign != " "
        && number.get(5..6) == Some(sign)
        && number.get(10..).is_some_and(|rest| !rest.starts_with(sign))
}

/// Whether it is grouped like a code: a postal code, `02111-1307`, that of a drug, `00571-6241-54`, or one of a part,
/// `081 706 964`.
fn is_code(number: &str) -> bool {
    let groups: Vec<usize> = number.split(['-', ' ']).map(str::len).collect();
    matches!(groups[..], [5, 4] | [5, 4, 2] | [3, 3, 3])
}
