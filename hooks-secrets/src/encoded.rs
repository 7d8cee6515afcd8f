//! Secrets in base64, which is decoded once, and in signs that hide where they begin.

use std::ops::Range;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::pattern::{Pattern, regex};

static CANDIDATE: Pattern = LazyLock::new(|| regex(r"[A-Za-z0-9+/_-]{16,}={0,2}"));

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// `scan` finds the secrets in what is decoded.
pub(crate) fn find(text: &str, scan: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let candidates = CANDIDATE.iter().flat_map(|rule| rule.find_iter(text)).map(|found| found.range());
    candidates
        .flat_map(|found| if hides(&text[found.clone()], scan) { vec![found] } else { wrapped(text, found, scan) })
        .collect()
}

/// The secrets in a word in signs that are letters to the rules: `_…_` of Markdown, `%22…%22` of a URL.
fn wrapped(text: &str, candidate: Range<usize>, scan: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let word = &text[candidate.clone()];
    let is_code = text[..candidate.start].ends_with('%') && word.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    let signs = if is_code { 2 } else { word.len() - word.trim_start_matches('_').len() };
    if signs == 0 {
        return Vec::new();
    }
    let (start, rest) = (candidate.start + signs, &text[candidate.start + signs..]);
    let is_end = |(at, c): &(usize, char)| *at > 1_000 || c.is_whitespace() || "\"'`<>()[]{}%,;&".contains(*c);
    let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
    let found = scan(rest[..end].trim_end_matches(['_', '*', '.', ':', '!', '?']));
    found.into_iter().map(|found| start + found.start..start + found.end).collect()
}

/// Whether the text is the base64 of a text with a secret.
fn hides(candidate: &str, scan: fn(&str) -> Vec<Range<usize>>) -> bool {
    let alphabet = if candidate.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let Ok(bytes) = GeneralPurpose::new(alphabet, LENIENT).decode(candidate) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let is_text = text.chars().all(|c| !c.is_control() || c.is_whitespace());
    is_text && !scan(&text).is_empty()
}
