//! What is masked, and with what: e-mail addresses, birth dates, payment ids.
//!
//! All of it works on text. Text that is JSON is masked within its string values alone, so that it still parses with the
//! same keys: see [`json_text`].

mod dates;
pub mod json_text;

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands in place of an e-mail address.
pub const EMAIL: &str = "[email]";
/// What stands in place of a birth date.
pub const BIRTH_DATE: &str = "[birth date]";

/// Built from literals that the tests use, so that a mistake in one shows there; a pattern that does not compile masks
/// nothing rather than taking the desk down.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

static EMAILS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[\p{L}\p{N}._%+\-]+@[\p{L}\p{N}\-]+(?:\.[\p{L}\p{N}\-]+)+"));

static PAYMENT_IDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b(?:credit_card|gift_card|certificate)_[0-9]+\b"));

/// `text` without e-mail addresses and birth dates; `None` where it holds none.
///
/// ```
/// use airline_desk::mask::personal;
///
/// assert_eq!(personal("ask ann@example.com, born 1990-04-05").as_deref(), Some("ask [email], born [birth date]"));
/// assert_eq!(personal("the flight on 2024-05-20"), None);
/// ```
pub fn personal(text: &str) -> Option<String> {
    json_text::rewrite(text, &plain_personal)
}

fn plain_personal(text: &str) -> Option<String> {
    // Most texts hold neither an `@` nor a digit, and cost two looks.
    let emails = if text.contains('@') { replace(EMAILS.as_ref(), text, |_| EMAIL.to_owned()) } else { None };
    let dates = dates::mask(emails.as_deref().unwrap_or(text));
    dates.or(emails)
}

/// `text` with the ids of cards and certificates named by their sort alone; `None` where it holds none.
///
/// ```
/// use airline_desk::mask::payment_ids;
///
/// assert_eq!(payment_ids("paid with gift_card_8190333").as_deref(), Some("paid with [gift card]"));
/// ```
pub fn payment_ids(text: &str) -> Option<String> {
    json_text::rewrite(text, &plain_payment_ids)
}

fn plain_payment_ids(text: &str) -> Option<String> {
    if !text.contains('_') {
        return None;
    }
    replace(PAYMENT_IDS.as_ref(), text, |found| match &found[0] {
        id if id.starts_with("credit") => "[credit card]".to_owned(),
        id if id.starts_with("gift") => "[gift card]".to_owned(),
        _ => "[certificate]".to_owned(),
    })
}

/// Replaces every match; `None` where there is none, so that nothing is copied.
fn replace(pattern: Option<&Regex>, text: &str, with: impl Fn(&Captures<'_>) -> String) -> Option<String> {
    match pattern?.replace_all(text, with) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(text) => Some(text),
    }
}
