//! Secrets in base64, which is decoded once.

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
    let candidates = CANDIDATE.iter().flat_map(|rule| rule.find_iter(text));
    candidates.filter(|found| hides(found.as_str(), scan)).map(|found| found.range()).collect()
}

/// Whether the text is the base64 of a text with a secret.
fn hides(candidate: &str, scan: fn(&str) -> Vec<Range<usize>>) -> bool {
    let alphabet = if candidate.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let Ok(bytes) = GeneralPurpose::new(alphabet, LENIENT).decode(candidate) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let is_text = text.chars().all(|c| !c.is_control() || c.is_whitespace());
    is_text && !scan(&text).is_empty()
}
