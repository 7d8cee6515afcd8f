//! Finds birth dates: dates up to the end of 2001, in digits or in words. Later dates are dates of flights.

use regex::Regex;

use super::{BIRTH_DATE, replace};

/// Up to 2001, because people who were born later cannot book alone.
const YEAR: &str = "(?:[01][0-9]{3}|200[01])";
const DAY: &str = "(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?";
const MONTH: &str = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?\
    |sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";

/// The patterns of dates.
#[derive(Debug)]
pub(super) struct Dates {
    /// `1990-04-05`, optionally with a time.
    in_digits: Regex,
    /// `April 12, 2001`, `12 April 2001`, `the 5th of Oct. 1957`, `5-Oct-1957`.
    in_words: Regex,
}

impl Dates {
    pub(super) fn new() -> Result<Self, regex::Error> {
        let day = "(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
        let time = r"T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+\-][0-9]{2}:?[0-9]{2})?";
        let gap = r"(?:\s*,\s*|\s+|-)";
        let month_first = format!(r"{MONTH}\s+(?:the\s+)?{DAY}{gap}{YEAR}");
        let day_first = format!(r"{DAY}(?:\s+of\s+|\s+|-){MONTH}{gap}{YEAR}");
        Ok(Self {
            in_digits: Regex::new(&format!(r"(?-u:\b){YEAR}-{day}(?:{time})?(?-u:\b)"))?,
            in_words: Regex::new(&format!(r"(?i)(?-u:\b)(?:{month_first}|{day_first})(?-u:\b)"))?,
        })
    }

    /// `text` with birth dates masked. `None` if it contains none.
    pub(super) fn mask(&self, text: &str) -> Option<String> {
        if !has_year(text) {
            return None;
        }
        let digits = replace(&self.in_digits, text, |_| BIRTH_DATE.to_owned());
        replace(&self.in_words, digits.as_deref().unwrap_or(text), |_| BIRTH_DATE.to_owned()).or(digits)
    }
}

/// Whether the text may contain a year up to 2001. This fast check avoids searching texts that contain only prices and
/// later years. An escaped character can hide a digit.
pub(super) fn has_year(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| match four {
        [b'0' | b'1', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        [b'2', b'0', b'0', b'0' | b'1'] | [b'\\', b'u', ..] => true,
        _ => false,
    })
}
