use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::record::CAUSE_LIMIT;

/// Something worth telling that stopped nothing: a code to search for, and words.
///
/// The text is cut at [`CAUSE_LIMIT`] characters, dots included.
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
        Self { code: code.into(), text: preview(text.as_ref(), CAUSE_LIMIT).into_owned() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)
    }
}

fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(preview(&text, CAUSE_LIMIT).into_owned())
}

/// The first `limit` characters.
pub(super) fn cut(text: &str, limit: usize) -> &str {
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
