//! Masks e-mail addresses, birth dates and payment ids.
//!
//! The functions work on text. If a text is JSON, only its string values are masked, so that it still parses with the
//! same keys: see [`rewrite_json_text`].

mod dates;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use dates::Dates;
use hook_sdk::data::rewrite_json_text;

/// Replaces an e-mail address.
pub const EMAIL: &str = "[email]";
/// Replaces a birth date.
pub const BIRTH_DATE: &str = "[birth date]";

/// The patterns, compiled once.
#[derive(Debug)]
pub struct Masks {
    emails: Regex,
    dates: Dates,
    payment_ids: Regex,
}

static MASKS: LazyLock<Result<Masks, regex::Error>> = LazyLock::new(|| {
    Ok(Masks {
        emails: Regex::new(r"[\w.%+\-]+@[\w\-]+(?:\.[\w\-]+)+")?,
        dates: Dates::new()?,
        payment_ids: Regex::new(r"(?-u:\b)(?:credit_card|gift_card|certificate)_[0-9]+(?-u:\b)")?,
    })
});

impl Masks {
    /// Returns the masks.
    ///
    /// # Errors
    /// If a pattern is invalid. A hook returns the error, so that its `on_failure` applies: nothing is stored unmasked.
    pub fn get() -> Result<&'static Self, regex::Error> {
        MASKS.as_ref().map_err(Clone::clone)
    }

    /// `text` with e-mail addresses and birth dates masked. `None` if it contains none.
    ///
    /// ```
    /// let masks = airline_desk::mask::Masks::get()?;
    /// let masked = masks.personal("ask ann@example.com, born 1990-04-05");
    /// assert_eq!(masked.as_deref(), Some("ask [email], born [birth date]"));
    /// assert_eq!(masks.personal("the flight on 2024-05-20"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn personal(&self, text: &str) -> Option<String> {
        // Most texts contain nothing to mask. These fast checks avoid parsing JSON for them.
        let (emails, dates) = (text.contains('@') || text.contains("\\u"), dates::has_year(text));
        if !emails && !dates {
            return None;
        }
        rewrite_json_text(text, &mut |text: &str| {
            let masked = if emails { replace(&self.emails, text, |_| EMAIL.to_owned()) } else { None };
            self.dates.mask(masked.as_deref().unwrap_or(text)).or(masked)
        })
    }

    /// `text` with the ids of cards and certificates replaced by their type. `None` if it contains none.
    ///
    /// ```
    /// let masks = airline_desk::mask::Masks::get()?;
    /// assert_eq!(masks.payment_ids("paid with gift_card_8190333").as_deref(), Some("paid with [gift card]"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn payment_ids(&self, text: &str) -> Option<String> {
        if !self.payment_ids.is_match(text) && !text.contains("\\u") {
            return None;
        }
        rewrite_json_text(text, &mut |text: &str| {
            replace(&self.payment_ids, text, |found| match &found[0] {
                id if id.starts_with("credit") => "[credit card]".to_owned(),
                id if id.starts_with("gift") => "[gift card]".to_owned(),
                _ => "[certificate]".to_owned(),
            })
        })
    }
}

/// Replaces every match. Returns `None` if there is none, to avoid a copy.
fn replace(pattern: &Regex, text: &str, with: impl Fn(&Captures<'_>) -> String) -> Option<String> {
    match pattern.replace_all(text, with) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}
