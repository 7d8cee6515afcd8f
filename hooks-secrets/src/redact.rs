//! The secrets of a text, and the text without them.

use std::ops::Range;

use crate::{names, scan, tail};

/// Replaces a secret.
pub const REDACTED: &str = "[REDACTED_SECRET]";

/// The secrets in `text`, in order and without overlaps.
pub fn find(text: &str) -> Vec<Range<usize>> {
    scan::all(text)
}

/// Like [`find`], for the beginning of a text of which more will come: a last word that may be the beginning of a secret
/// counts as one.
pub fn find_unfinished(text: &str) -> Vec<Range<usize>> {
    let mut found = scan::all(text);
    found.extend(tail::of(text));
    scan::merged(found)
}

/// Replaces the secrets in `text` by [`REDACTED`]. `None` if there are none.
pub fn redact(text: &str) -> Option<String> {
    let found = find(text);
    (!found.is_empty()).then(|| replaced(text, &found))
}

/// The same for the value of a header, a setting or a field, whose name can say that it is a secret.
pub fn redact_named(name: &str, value: &str) -> Option<String> {
    let found = find_named(name, value);
    (!found.is_empty()).then(|| replaced(value, &found))
}

/// The secrets in a value, which its name can make one as a whole, also if a part of it has the form of another.
pub fn find_named(name: &str, value: &str) -> Vec<Range<usize>> {
    let whole = || std::iter::once(0..value.len()).collect();
    if names::hides(name, value) {
        return whole();
    }
    let found = find(value);
    // Many rules need the name.
    let named = format!("{name} = \"{value}\"");
    let at = name.len() + 4;
    let is_known =
        |place: &Range<usize>| found.iter().any(|one| one.start + at <= place.start && place.end <= one.end + at);
    let is_more = |place: Range<usize>| place.start < at + value.len() && place.end > at && !is_known(&place);
    if find(&named).into_iter().any(is_more) { whole() } else { found }
}

/// Replaces these parts of `text` by [`REDACTED`]. They are in order and without overlaps.
pub fn replaced(text: &str, secrets: &[Range<usize>]) -> String {
    let (mut clean, mut at) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        clean.push_str(&text[at..secret.start]);
        clean.push_str(REDACTED);
        at = secret.end;
    }
    clean.push_str(&text[at..]);
    clean
}
