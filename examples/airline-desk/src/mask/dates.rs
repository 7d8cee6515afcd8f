//! Birth dates: those up to the end of 2001, in digits or in words. Later dates are flights, and stay.

use std::sync::LazyLock;

use regex::Regex;

use super::{BIRTH_DATE, pattern, replace};

/// Up to 2001: whoever was born later does not book alone.
const YEAR: &str = r"(?:[01][0-9]{3}|200[01])";
const DAY: &str = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?";
const MONTH: &str = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?";

/// `1990-04-05`, alone or with a time of day after it.
static IN_DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let time = r"T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+\-][0-9]{2}:?[0-9]{2})?";
    pattern(&format!(r"\b{YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:{time})?\b"))
});

/// `April 12, 2001`, `12 April 2001`, `the 5th of Oct. 1957`, `5-Oct-1957`.
static IN_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let gap = r"(?:\s*,\s*|\s+|-)";
    let day_first = format!(r"{DAY}(?:\s+of\s+|\s+|-){MONTH}{gap}{YEAR}");
    let month_first = format!(r"{MONTH}\s+(?:the\s+)?{DAY}{gap}{YEAR}");
    pattern(&format!(r"(?i)\b(?:{month_first}|{day_first})\b"))
});

/// `text` without birth dates; `None` where it holds none.
pub(super) fn mask(text: &str) -> Option<String> {
    if !has_year(text) {
        return None;
    }
    let digits = replace(IN_DIGITS.as_ref(), text, |_| BIRTH_DATE.to_owned());
    let words = replace(IN_WORDS.as_ref(), digits.as_deref().unwrap_or(text), |_| BIRTH_DATE.to_owned());
    words.or(digits)
}

/// Whether four digits in a row are somewhere, of which the first begins a year up to 2001: prices and flights of later
/// years end the search here, without a look at months.
fn has_year(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| match four {
        [b'0' | b'1', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        [b'2', b'0', b'0', b'0' | b'1'] => true,
        _ => false,
    })
}
