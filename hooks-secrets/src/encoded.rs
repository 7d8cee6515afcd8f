//! Secrets in base64 and in the codes of URLs, both of which are decoded once, and in signs that hide where they begin.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::pattern::patterns;

patterns! {
    CANDIDATE = r"[A-Za-z0-9+/_-]{16,}={0,2}";

    /// A word with codes, or in the `_` of Markdown, which are letters to the rules.
    WORD = r#"[^\s"'`<>\\]*%[0-9A-Fa-f]{2}[^\s"'`<>\\]*|\b_+[A-Za-z0-9+/-][A-Za-z0-9+/_-]{14,}[^\s"'`<>()\[\]{},;&]*"#;
}

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// `scan` finds the secrets in what is decoded.
pub(crate) fn find(text: &str, scan: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let candidates = CANDIDATE.iter().flat_map(|rule| rule.find_iter(text)).map(|found| found.range());
    let words = WORD.iter().flat_map(|rule| rule.find_iter(text)).flat_map(|word| within(text, word.range(), scan));
    candidates.filter(|found| hides(&text[found.clone()], scan)).chain(words).collect()
}

/// The secrets in a word in which `%3D` stands for `=`, as in a URL within another one.
fn within(text: &str, word: Range<usize>, scan: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let inner = text[word.clone()].trim_start_matches('_');
    let mut at = word.end - inner.len();
    let end = at + inner.trim_end_matches(['_', '*', '.', ':', '!', '?']).len();
    let (mut decoded, mut places) = (Vec::new(), Vec::new());
    while at < end {
        let code = text.get(at..at + 3).and_then(|code| u8::from_str_radix(code.strip_prefix('%')?, 16).ok());
        let code = code.filter(u8::is_ascii);
        decoded.push(code.unwrap_or(text.as_bytes()[at]));
        places.push(at);
        at += if code.is_some() { 3 } else { 1 };
    }
    places.push(end);
    let found = String::from_utf8(decoded).map(|decoded| scan(&decoded)).unwrap_or_default();
    found.into_iter().map(|found| places[found.start]..places[found.end]).collect()
}

/// Whether the text is the base64 of a text with a secret.
fn hides(candidate: &str, scan: fn(&str) -> Vec<Range<usize>>) -> bool {
    let alphabet = if candidate.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let Ok(bytes) = GeneralPurpose::new(alphabet, LENIENT).decode(candidate) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let is_text = text.chars().all(|c| !c.is_control() || c.is_whitespace());
    is_text && !scan(&text).is_empty()
}
