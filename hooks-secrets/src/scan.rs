//! Joins what the scanners find.

use std::borrow::Cow;
use std::ops::Range;

use regex::Captures;

use crate::pattern::patterns;
use crate::{encoded, forms, places, settings};

patterns! {
    /// The code of a sign in JSON or in a program, and of a colour in a terminal.
    CODE = r"(?:\x1b|\\+(?:u001[bB]|x1[bB]|033|e))\[[0-9;]*[A-Za-z]|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|[abefnrtv])";
}

/// The secrets in `text`.
pub(crate) fn all(text: &str) -> Vec<Range<usize>> {
    // No secret is that short.
    if text.len() < 6 {
        return Vec::new();
    }
    merged(readings(text, |text| {
        let mut found = direct(text);
        found.extend(encoded::find(text, |decoded| readings(decoded, direct)));
        found
    }))
}

/// What `scan` finds in the text as it is, and with `\u{1}` for the letters and digits of codes, which would otherwise
/// belong to the word behind them. What looks like a code may be the beginning of a word, too: `C:\token`.
fn readings(text: &str, scan: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found = scan(text);
    let bound = |code: &Captures<'_>| code[0].replace(|c| !"\\\x1b".contains(c), "\x01");
    if let Some(Cow::Owned(text)) = CODE.as_ref().map(|code| code.replace_all(text, bound)) {
        found.extend(scan(&text));
    }
    found
}

/// The secrets in `text` that are not encoded.
fn direct(text: &str) -> Vec<Range<usize>> {
    let mut found = forms::find(text);
    found.extend(places::find(text));
    found.extend(settings::find(text));
    #[cfg(feature = "rules")]
    found.extend(crate::rules::find(text));
    found.retain(|secret| !["[REDACTED", "[redacted"].iter().any(|mark| text[secret.clone()].starts_with(mark)));
    found
}

/// Sorts them, and joins those that touch or overlap.
pub(crate) fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.retain(|secret| !secret.is_empty());
    found.sort_by_key(|secret| secret.start);
    found.dedup_by(|secret, last| {
        let joins = secret.start <= last.end;
        last.end = if joins { last.end.max(secret.end) } else { last.end };
        joins
    });
    found
}
