//! Joins what the scanners find.

use std::ops::Range;

use crate::{encoded, forms, places, settings};

/// The secrets in `text`.
pub(crate) fn all(text: &str) -> Vec<Range<usize>> {
    // No secret is that short.
    if text.len() < 6 {
        return Vec::new();
    }
    let mut found = direct(text);
    found.extend(encoded::find(text, direct));
    merged(found)
}

/// The secrets in `text` that are not encoded.
fn direct(text: &str) -> Vec<Range<usize>> {
    let mut found = forms::find(text);
    found.extend(places::find(text));
    found.extend(settings::find(text));
    #[cfg(feature = "rules")]
    found.extend(crate::rules::find(text));
    found.retain(|secret| {
        !text[secret.clone()].starts_with("[REDACTED") && !text[secret.clone()].starts_with("[redacted")
    });
    found
}

/// Sorts them, and joins those that touch or overlap.
pub(crate) fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.retain(|secret| !secret.is_empty());
    found.sort_by_key(|secret| secret.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.start <= last.end => last.end = last.end.max(secret.end),
            _ => merged.push(secret),
        }
    }
    merged
}
