//! Telephone numbers: international, North American, and national with a leading zero; without form only after a word
//! such as `phone`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::digits::{self, begins, ends};
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
        Regex::new(r"(?:[+]|00)[ (]?[1-9](?:[ \u{a0}\u{2010}-\u{2015}./-]{0,2}\(?[0-9]\)?(?:\)[ -]?)?){6,16}").ok()?,
        // North American: `(415) 555-2671`, `1-415-555-2671`, `415.555.2671`.
        Regex::new(r"(?:1[ .-]?)?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]|1[0-9]{2}-)[0-9]{3}[ .-][0-9]{4}").ok()?,
        // National: `030 901820`, `01 23 45 67 89`, `(020) 7946 0958`.
        Regex::new(r"(?:\(0[0-9]{1,4}\)|0[0-9]{1,4})(?:[ \u{a0}/-][0-9]{2,8}(?:[ \u{a0}.-][0-9]{2,4}){0,4}|(?:\.[0-9]{2}){4})").ok()?,
        // After a word that says so.
        Regex::new(&format!(r#"(?i)(?:phone|telefon|téléphone|whatsapp|(?:\b|_)(?:mobile|cell|tel|handy|fax)|(?-i:[a-z](?:Mobile|Cell|Tel|Handy|Fax))|call (?:me|us) (?:at|on))(?:[ \t:=."'#_]|number|no|nr|is|at){{0,8}}({digits})"#)).ok()?,
    ])
});

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let [international, american, national, named] = PATTERNS.as_ref()?;
    let found = [
        search(text, from, international, international_end),
        search(text, from, american, |text, found| ends(text, found.end).then_some(found.end)),
        search(text, from, national, national_end),
        search(text, from, named, named_end),
    ];
    found.into_iter().flatten().min_by_key(|found| (found.start, usize::MAX - found.end))
}

/// The characters before a number in which the word may be that says what it is.
const LOOKBEHIND: usize = 40;

/// The first match for which `end_of` finds an end.
fn search(
    text: &str,
    from: usize,
    pattern: &Regex,
    end_of: impl Fn(&str, Range<usize>) -> Option<usize>,
) -> Option<Range<usize>> {
    let mut at = digits::before(text, from, LOOKBEHIND);
    while let Some(found) = pattern.captures_at(text, at) {
        let number = found.get(1).or(found.get(0))?.range();
        let alone = begins(text, number.start) && !text[..number.start].ends_with(['+', '-']);
        if number.start >= from && alone {
            if let Some(end) = end_of(text, number.clone()) {
                return Some(number.start..end);
            }
        }
        at = digits::after(text, found.get(0)?.start());
    }
    None
}

/// The longest beginning that has as many digits as the country allows, and ends with a group.
fn international_end(text: &str, found: Range<usize>) -> Option<usize> {
    let number = &text[found.clone()];
    let plus = number.starts_with('+');
    let after = if plus { 1 } else { 2 };
    let digits: String = number[after..].replace("(0)", "").chars().filter(char::is_ascii_digit).collect();
    let (code, most) = country(&digits)?;
    // Without a plus, digits alone may be any number.
    if !plus && !number.contains([' ', '-', '/', '(', '.']) {
        return None;
    }
    let trunk = usize::from(number.contains("(0)"));
    let (mut count, mut end) = (0_usize, None);
    for (offset, c) in number[after..].char_indices() {
        if c.is_ascii_digit() {
            count += 1;
            let place = found.start + after + offset + 1;
            let national = count.saturating_sub(trunk + code);
            if national > most {
                break;
            }
            if national >= LEAST && ends(text, place) {
                end = Some(place);
            }
        }
    }
    end
}

/// The length of the country code, and the most digits after it.
fn country(digits: &str) -> Option<(usize, usize)> {
    let mut known = COUNTRIES.iter().filter(|(code, ..)| digits.starts_with(code));
    known.next().map(|(_, length, most)| (*length, *most))
}

/// Nine to eleven digits with at least one gap.
fn national_end(text: &str, found: Range<usize>) -> Option<usize> {
    let mut end = found.end;
    loop {
        let number = &text[found.start..end];
        let count = number.bytes().filter(u8::is_ascii_digit).count();
        if is_date(number) || is_zip(text, found.start, number) {
            return None;
        }
        if (9..=11).contains(&count) && ends(text, end) {
            return Some(end);
        }
        // A shorter one, without its last group.
        if count < 9 {
            return None;
        }
        end = found.start
            + number
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .trim_end_matches([' ', '\u{a0}', '.', '-', '/'])
                .len();
    }
}

fn named_end(text: &str, found: Range<usize>) -> Option<usize> {
    let count = text[found.clone()].bytes().filter(u8::is_ascii_digit).count();
    ((7..=15).contains(&count) && !is_date(&text[found.clone()]) && ends(text, found.end)).then_some(found.end)
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

/// Whether it is a postal code of nine digits behind the sign of a state: `MA 02111-1307`.
fn is_zip(text: &str, start: usize, number: &str) -> bool {
    let before = text[..start].trim_end_matches(' ');
    // Those whose codes begin with a zero.
    let state = ["MA", "RI", "NH", "ME", "VT", "CT", "NJ", "NY", "PR", "VI", "AE"]
        .iter()
        .find_map(|state| before.strip_suffix(state));
    number.split('-').map(str::len).eq([5, 4])
        && before.len() < start
        && state.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}
