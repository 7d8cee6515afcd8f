use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::record::CAUSE_LIMIT;

/// Something worth telling that stopped nothing: a code to search for, and words.
///
/// The text is one line, cut at [`CAUSE_LIMIT`] characters, dots included. One that holds what looks like a key, or
/// characters that steer a terminal, is replaced by `diagnostic redacted`: what is told here ends up in logs.
///
/// ```
/// use hooks_core::verdict::Diagnostic;
///
/// let told = Diagnostic::new("profile.stale", "the profile is of last week");
/// assert_eq!(told.to_string(), "profile.stale: the profile is of last week");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What it is, as in `policy.merge.conflict`.
    pub code: Cow<'static, str>,
    /// The words.
    #[serde(deserialize_with = "bounded")]
    pub text: String,
}

impl Diagnostic {
    /// `text` under `code`.
    pub fn new(code: impl Into<Cow<'static, str>>, text: impl AsRef<str>) -> Self {
        Self { code: code.into(), text: shown(text.as_ref()) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)
    }
}

fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(shown(&text))
}

/// How keys of known makers begin.
const KEYS: &[&str] =
    &["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ"];

/// The text as it may be shown: one line, bounded, without a secret.
fn shown(text: &str) -> String {
    if is_unsafe(text) {
        return "diagnostic redacted".to_owned();
    }
    let line = text.replace(['\r', '\n', '\t'], " ");
    preview(&line, CAUSE_LIMIT).into_owned()
}

fn is_unsafe(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
    text.contains("-----BEGIN ")
        || text.chars().any(|c| c.is_control() && !c.is_whitespace())
        || words.any(|word| word.len() >= 16 && KEYS.iter().any(|key| word.starts_with(key)))
}

/// The first `limit` characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// At most `limit` characters; where something is left out, the last three are dots.
pub(super) fn preview(text: &str, limit: usize) -> Cow<'_, str> {
    if cut(text, limit).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let dots = limit.min(3);
    Cow::Owned(format!("{}{}", cut(text, limit - dots), &"..."[..dots]))
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
    fn what_may_not_be_shown_is_redacted_and_the_rest_is_one_line() {
        const REDACTED: &str = "diagnostic redacted";
        let table = [
            ("the profile is of last week", "the profile is of last week"),
            ("a\nb\tc\r\nd", "a b c  d"),
            ("a key sk-proj-0123456789abcdef is wrong", REDACTED),
            ("token=ghp_0123456789abcdef", REDACTED),
            ("{\"key\":\"AKIA0123456789ABCDEF\"}", REDACTED),
            ("at https://host/v1/sk-0123456789abcdef", REDACTED),
            ("-----BEGIN PRIVATE KEY-----", REDACTED),
            ("\u{1b}[31mred", REDACTED),
            ("a bell\u{7}", REDACTED),
            ("the word sk-short is none", "the word sk-short is none"),
            ("task-0123456789abcdef", "task-0123456789abcdef"),
            ("aé日b", "aé日b"),
        ];
        for (text, expected) in table {
            assert_eq!(Diagnostic::new("a.b", text).text, expected, "{text:?}");
            let read: Diagnostic = serde_json::from_value(serde_json::json!({ "code": "a.b", "text": text })).unwrap();
            assert_eq!(read.text, expected, "{text:?}");
        }
        let late = format!("{}sk-proj-0123456789abcdef", "x ".repeat(400));
        assert_eq!(Diagnostic::new("a.b", late).text, REDACTED, "a secret is not cut in two");
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
        let long = Diagnostic::new("a.b", "é".repeat(600));
        assert_eq!(long.text.chars().count(), 512);
        let read: Diagnostic =
            serde_json::from_value(serde_json::json!({ "code": "a.b", "text": "é".repeat(600) })).unwrap();
        assert_eq!(read, long);
    }
}
