use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::text::{is_unsafe, one_line};

/// A diagnostic that did not stop anything: a code and a text.
///
/// The text is one line, truncated to 512 characters. Because diagnostics end
/// up in logs, a text with something like a key or with terminal control characters is replaced by
/// `diagnostic redacted`.
///
/// ```
/// use hook_sdk::verdict::Diagnostic;
///
/// let stale = Diagnostic::new("profile.stale", "the profile is of last week");
/// assert_eq!(stale.to_string(), "profile.stale: the profile is of last week");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code, such as `policy.merge.conflict`.
    pub code: Cow<'static, str>,
    /// The text.
    #[serde(deserialize_with = "bounded")]
    pub text: String,
}

impl Diagnostic {
    /// Creates a diagnostic; `text` is truncated and redacted.
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

/// Makes the text safe to show: one line, bounded, without secrets.
fn shown(text: &str) -> String {
    if is_unsafe(text) { "diagnostic redacted".to_owned() } else { one_line(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_long_text_is_cut_when_it_is_made_and_when_it_is_read() {
        let long = Diagnostic::new("a.b", "é".repeat(600));
        assert_eq!(long.text.chars().count(), 512);
        let read: Diagnostic =
            serde_json::from_value(serde_json::json!({ "code": "a.b", "text": "é".repeat(600) })).unwrap();
        assert_eq!(read, long);
    }
}
