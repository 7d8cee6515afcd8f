//! Text for records and logs: one line, bounded, without secrets.

use std::borrow::Cow;

/// The maximum number of characters of texts in records and messages, including the dots of a truncation.
pub const CAUSE_LIMIT: usize = 512;

/// Prefixes of known API keys.
const KEYS: &[&str] =
    &["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ"];

/// The minimum length of an API key.
const KEY_LENGTH: usize = 16;

/// The beginning of a private key in PEM format.
const PEM: &str = "-----BEGIN ";

/// The first `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Truncates to `limit` characters. If something is removed, the last three are dots.
pub(crate) fn preview(text: &str, limit: usize) -> Cow<'_, str> {
    if cut(text, limit).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let dots = limit.min(3);
    Cow::Owned(format!("{}{}", cut(text, limit - dots), &"..."[..dots]))
}

/// Whether `text` contains something like a key, or terminal control characters.
pub(crate) fn is_unsafe(text: &str) -> bool {
    text.contains(PEM) || text.chars().any(|c| c.is_control() && !c.is_whitespace()) || words(text).any(is_key)
}

/// Puts `text` on one line of at most [`CAUSE_LIMIT`] characters.
pub(crate) fn one_line(text: &str) -> String {
    preview(&text.replace(['\r', '\n', '\t'], " "), CAUSE_LIMIT).into_owned()
}

/// Puts `text` on one line of at most [`CAUSE_LIMIT`] characters and replaces each secret by `[redacted]`; the rest of
/// an error stays readable.
pub(crate) fn redacted(text: &str) -> String {
    if !is_unsafe(text) {
        return one_line(text);
    }
    let text = text.find(PEM).map_or(Cow::Borrowed(text), |at| Cow::Owned(format!("{}[redacted]", &text[..at])));
    let mut safe = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars() {
        if is_word(c) {
            word.push(c);
            continue;
        }
        push_word(&mut safe, &mut word);
        safe.push(if c.is_control() { ' ' } else { c });
    }
    push_word(&mut safe, &mut word);
    one_line(&safe)
}

fn push_word(text: &mut String, word: &mut String) {
    text.push_str(if is_key(word) { "[redacted]" } else { word });
    word.clear();
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_".contains(c)
}

fn is_key(word: &str) -> bool {
    word.len() >= KEY_LENGTH && KEYS.iter().any(|key| word.starts_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_whole_characters() {
        let table = [
            ("aé日b", 3, "aé日"),
            ("aé日b", 4, "aé日b"),
            ("aé日b", 9, "aé日b"),
            ("日本", 1, "日"),
            ("日本", 0, ""),
            ("", 3, ""),
        ];
        for (text, limit, expected) in table {
            assert_eq!(cut(text, limit), expected, "{text} at {limit}");
        }
    }

    #[test]
    fn a_preview_is_within_its_limit_and_shows_that_something_is_missing() {
        let table = [
            ("abcdef", 5, "ab..."),
            ("abcde", 5, "abcde"),
            ("this diagnostic is long", 12, "this diag..."),
            ("日本語です。", 5, "日本..."),
            ("abcdef", 3, "..."),
            ("abcdef", 2, ".."),
            ("abcdef", 0, ""),
        ];
        for (text, limit, expected) in table {
            assert_eq!(preview(text, limit), expected, "{text} at {limit}");
        }
    }

    #[test]
    fn secrets_are_redacted_and_the_rest_of_the_text_stays() {
        let table = [
            ("not found", "not found"),
            ("401:\n\tthe key sk-proj-0123456789abcdef is wrong", "401:  the key [redacted] is wrong"),
            ("token=ghp_0123456789abcdef&x=1", "token=[redacted]&x=1"),
            ("{\"key\":\"AKIA0123456789ABCDEF\"}", "{\"key\":\"[redacted]\"}"),
            ("cannot read -----BEGIN PRIVATE KEY-----\nMIIE", "cannot read [redacted]"),
            ("\u{1b}[31mred", " [31mred"),
            ("the word sk-short is none", "the word sk-short is none"),
        ];
        for (text, expected) in table {
            assert_eq!(redacted(text), expected, "{text:?}");
        }
        let late = format!("{}sk-proj-0123456789abcdef", "x ".repeat(250));
        let shown = redacted(&late);
        assert!(shown.chars().count() <= CAUSE_LIMIT && !shown.contains("sk-"), "a secret is not cut in two: {shown}");
    }
}
