//! Checks that the patterns for a field can match one of its known values.

use super::{Text, find};
use crate::kind::HookKind;
use crate::words::KnownWords;

/// Checks a hook that filters the field `name` by `patterns`.
#[track_caller]
pub const fn words<K: HookKind>(name: &str, patterns: &str) {
    let Some(index) = find::<K>(name) else { return };
    let Some(known) = K::FIELDS[index].words else { return };
    if let Some(text) = unknown_word(K::NAME, name, known, patterns) {
        text.fail()
    }
}

/// What is wrong with patterns for the field `name` of the kind: one that matches no known word.
pub(crate) const fn unknown_word(kind: &str, name: &str, known: KnownWords, patterns: &str) -> Option<Text> {
    let KnownWords { words, open } = known;
    let mut rest = patterns.as_bytes();
    while let Some((pattern, after)) = next(rest) {
        rest = after;
        if any_matches(words, pattern) {
            continue;
        }
        let meant = nearest(words, pattern, open);
        if open && meant.is_none() {
            continue;
        }
        let Ok(pattern) = std::str::from_utf8(pattern) else { continue };
        let mut text = Text::new().add("`").add(name).add("` of `").add(kind).add("` is never `").add(pattern);
        text = text.add("`; ");
        text = match meant {
            Some(meant) => text.add("did you mean `").add(meant).add("`?"),
            None => text.add("it is one of ").list(words),
        };
        return Some(text);
    }
    None
}

/// Splits off the next of the patterns between `|`. The rest keeps its leading separator, so that the loop ends.
const fn next(patterns: &[u8]) -> Option<(&[u8], &[u8])> {
    if patterns.is_empty() {
        return None;
    }
    let mut end = 0;
    while end < patterns.len() && patterns[end] != b'|' {
        end += 1;
    }
    let (pattern, rest) = patterns.split_at(end);
    let rest = if rest.is_empty() { rest } else { rest.split_at(1).1 };
    Some((pattern.trim_ascii(), rest))
}

const fn any_matches(words: &[&str], pattern: &[u8]) -> bool {
    let mut i = 0;
    while i < words.len() {
        if matches(pattern, words[i].as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether the pattern matches the whole word: `*` matches anything, `?` one character.
const fn matches(pattern: &[u8], word: &[u8]) -> bool {
    match (pattern, word) {
        ([], []) => true,
        ([b'*', pattern @ ..], _) if matches(pattern, word) => true,
        ([b'*', ..], [_, word @ ..]) => matches(pattern, word),
        ([b'?', pattern @ ..], [_, word @ ..]) => matches(pattern, word),
        ([one, pattern @ ..], [other, word @ ..]) => *one == *other && matches(pattern, word),
        _ => false,
    }
}

/// The word that was likely meant. For an open list, one that is equal except for case and punctuation; otherwise the
/// first one that is near.
const fn nearest<'w>(words: &[&'w str], pattern: &[u8], open: bool) -> Option<&'w str> {
    let mut limit = if open { 0 } else { pattern.len() / 3 };
    if !open && limit == 0 {
        limit = 1;
    }
    let mut found = None;
    let mut i = words.len();
    while i > 0 {
        i -= 1;
        let distance = distance(pattern, words[i].as_bytes());
        if distance <= limit {
            (found, limit) = (Some(words[i]), distance);
        }
    }
    found
}

/// The edit distance, ignoring characters that are neither letters nor digits.
const fn distance(pattern: &[u8], word: &[u8]) -> usize {
    match (pattern, word) {
        ([b'_' | b'-' | b' ', pattern @ ..], _) => distance(pattern, word),
        (_, [b'_' | b'-' | b' ', word @ ..]) => distance(pattern, word),
        ([], rest) | (rest, []) => rest.len(),
        ([one, left @ ..], [other, right @ ..]) if one.eq_ignore_ascii_case(other) => distance(left, right),
        ([_, left @ ..], [_, right @ ..]) if left.len() == right.len() => 1 + distance(left, right),
        ([_, left @ ..], [_, right @ ..]) if left.len() > right.len() => 1 + distance(left, word),
        ([..], [_, right @ ..]) => 1 + distance(pattern, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool"];

    #[test]
    fn a_pattern_matches_as_it_does_when_a_hook_is_filtered() {
        for (pattern, word) in
            [("user", "user"), ("u*", "user"), ("*", ""), ("?ser", "user"), ("*e?", "user"), ("**", "x")]
        {
            assert!(matches(pattern.as_bytes(), word.as_bytes()), "{pattern}");
        }
        for (pattern, word) in [("User", "user"), ("use", "user"), ("users", "user"), ("?", ""), ("*x", "user")] {
            assert!(!matches(pattern.as_bytes(), word.as_bytes()), "{pattern}");
        }
    }

    #[test]
    fn the_nearest_word_is_one_that_was_likely_meant() {
        for (pattern, meant) in [
            ("User", Some("user")),
            ("usr", Some("user")),
            ("assistent", Some("assistant")),
            ("asistant", Some("assistant")),
            ("tools", Some("tool")),
            ("agent", None),
            ("model", None),
        ] {
            assert_eq!(nearest(ROLES, pattern.as_bytes(), false), meant, "{pattern}");
        }
        let reasons = &["final_response", "max_iterations"];
        for (pattern, meant) in [
            ("FinalResponse", Some("final_response")),
            ("final-response", Some("final_response")),
            ("final_respons", None),
        ] {
            assert_eq!(nearest(reasons, pattern.as_bytes(), true), meant, "{pattern}");
        }
    }

    #[test]
    fn patterns_are_separated_as_they_are_when_a_hook_is_filtered() {
        let mut rest: &[u8] = b" user |tool";
        let mut patterns = Vec::new();
        while let Some((pattern, after)) = next(rest) {
            patterns.push(pattern);
            rest = after;
        }
        assert_eq!(patterns, [b"user".as_slice(), b"tool"]);
    }
}
