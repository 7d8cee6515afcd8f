//! The end of a text of which more will come.

use std::ops::Range;

/// A last word of this length may be the beginning of a secret.
const LENGTH: usize = 6;

/// The last word, if it may be the beginning of a secret: if it is long, and not just letters. What its name or place would
/// make a secret is one already.
pub(crate) fn of(text: &str) -> Option<Range<usize>> {
    let mut words = text.rsplit(|c: char| c.is_whitespace() || "\"'`<>()[]{},;=".contains(c));
    let word = words.next().unwrap_or(text);
    let is_plain = |part: &str| {
        let mut chars = part.chars();
        // Only the first letter of a word is a capital one.
        chars.next().is_none_or(char::is_alphabetic) && chars.all(char::is_lowercase)
    };
    let is_word = word.split(['-', '.', '/', '\'', ':', '?', '!', '’']).all(is_plain);
    let begins = word.contains("://")
        || ["sk", "pk", "rk", "xox", "gh"]
            .iter()
            .any(|key| word.strip_prefix(key).is_some_and(|rest| rest.starts_with(['-', '_'])));
    (begins || (word.len() >= LENGTH && !is_word)).then_some(text.len() - word.len()..text.len())
}
