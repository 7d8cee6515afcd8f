//! Text for records and logs: one line, bounded, without secrets.

use std::borrow::Cow;
use std::sync::OnceLock;

/// The maximum number of characters of texts in records and messages, including the dots of a truncation.
pub(crate) const CAUSE_LIMIT: usize = 512;

/// Finds secrets in a text and returns the text without them, or `None` if there are none.
pub(crate) type Redactor = fn(&str) -> Option<String>;

static REDACTOR: OnceLock<Redactor> = OnceLock::new();

/// Installs a scanner that removes secrets from the causes of failures before they are recorded or logged. Returns `false`
/// if another one is installed already. The engine itself knows the keys of some vendors, and some names. hooks-store,
/// hooks-replay and the program `hooks` install `hooks_secrets::redact`.
pub fn set_redactor(redactor: Redactor) -> bool {
    REDACTOR.set(redactor).is_ok()
}

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
    text.contains(PEM)
        || text.chars().any(|c| c.is_control() && !c.is_whitespace())
        || text.split(|c| !is_word(c)).any(is_key)
}

/// Puts `text` on one line of at most [`CAUSE_LIMIT`] characters.
pub(crate) fn one_line(text: &str) -> String {
    preview(&text.replace(['\r', '\n', '\t'], " "), CAUSE_LIMIT).into_owned()
}

/// Puts the text of an error on one line of at most 512 characters, without its secrets, as records have it.
pub fn redacted(text: &str) -> String {
    let scanned = REDACTOR.get().and_then(|redactor| redactor(text));
    let text = without_named(scanned.as_deref().unwrap_or(text));
    let text = &*text;
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

/// Endings of names whose value is a secret, in lower case and without separators.
const NAMES: &[&str] =
    &["password", "passwd", "pwd", "secret", "token", "apikey", "accesskey", "secretkey", "authorization", "cookie"];

/// Replaces the values of such names, and passwords in URLs.
fn without_named(text: &str) -> Cow<'_, str> {
    let mut safe = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([':', '=']) {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let user = after.strip_prefix("//").and_then(|after| {
            let end = after.find(|c: char| c.is_whitespace() || "/\"'".contains(c)).unwrap_or(after.len());
            let (user, _) = after[..end].rsplit_once('@')?;
            Some(2 + user.find(':')? + 1..2 + user.len())
        });
        let value = user.or_else(|| is_secret_name(before).then(|| value_of(after)));
        match value
            .filter(|value| !value.is_empty() && !after[value.clone()].to_ascii_lowercase().starts_with("[redacted"))
        {
            Some(value) => {
                safe.push_str(&rest[..=at + value.start]);
                safe.push_str("[redacted]");
                rest = &after[value.end..];
            }
            None => {
                safe.push_str(&rest[..=at]);
                rest = after;
            }
        }
    }
    if safe.is_empty() {
        return Cow::Borrowed(text);
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// Whether the text ends with the name of a secret, perhaps in quotes.
fn is_secret_name(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '\\', ' ']);
    let start = before.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    let name: String = before.get(start..).unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|ending| name.ends_with(ending))
}

/// The value at the beginning of the text: up to the closing quote, or the next word. A scheme such as `Bearer` is part
/// of it.
fn value_of(after: &str) -> std::ops::Range<usize> {
    let opening = after.len() - after.trim_start_matches([' ', '\\']).len();
    let (start, value) = (opening, &after[opening..]);
    if let Some(quote @ ('"' | '\'')) = value.chars().next() {
        let (start, value) = (opening + 1, &value[1..]);
        // The closing quote is escaped no deeper than the opening one; the quotes in between are.
        let slashes = |text: &str| text.len() - text.trim_end_matches('\\').len();
        let depth = slashes(&after[..opening]);
        let closes = |at: &usize| slashes(&value[..*at]) <= depth;
        let end = value.match_indices(quote).map(|(at, _)| at).find(closes);
        return start..start + end.map_or(value.len(), |at| at - slashes(&value[..at]));
    }
    let is_end = |c: char| c.is_whitespace() || "\"'\\&,;)}]".contains(c);
    let first = value.find(is_end).unwrap_or(value.len());
    let scheme =
        ["bearer", "basic", "apikey", "token", "digest"].iter().any(|word| value[..first].eq_ignore_ascii_case(word));
    let more = if scheme { value[first..].trim_start() } else { "" };
    let length =
        if more.is_empty() { first } else { value.len() - more.len() + more.find(is_end).unwrap_or(more.len()) };
    start..start + length
}

fn push_word(text: &mut String, word: &mut String) {
    text.push_str(if is_key(word) { "[redacted]" } else { word });
    word.clear();
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
            ("password=super-secret-token, user=ada", "password=[redacted], user=ada"),
            (
                "cannot reach postgres://ada:s3cr3t-pw@db/x: refused",
                "cannot reach postgres://ada:[redacted]@db/x: refused",
            ),
            ("Authorization: Bearer abc.def rejected", "Authorization: [redacted] rejected"),
            ("GET https://x.org/?api_key=k1&page=2 failed", "GET https://x.org/?api_key=[redacted]&page=2 failed"),
            ("{\"password\": \"hunter\"}", "{\"password\": \"[redacted]\"}"),
            ("password=\"\" user=\"ada\"", "password=\"\" user=\"ada\""),
            ("{\\\"token\\\":\\\"\\\",\\\"user\\\":\\\"ada\\\"}", "{\\\"token\\\":\\\"\\\",\\\"user\\\":\\\"ada\\\"}"),
            ("password='[x y]' user=\"ada\"", "password='[redacted]' user=\"ada\""),
            ("{\\\"password\\\":\\\"a\\\\\\\"b\\\"}", "{\\\"password\\\":\\\"[redacted]\\\"}"),
            ("status: 401, tokens: 12, at 10:15", "status: 401, tokens: 12, at 10:15"),
        ];
        for (text, expected) in table {
            assert_eq!(redacted(text), expected, "{text:?}");
        }
        let late = format!("{}sk-proj-0123456789abcdef", "x ".repeat(250));
        let shown = redacted(&late);
        assert!(shown.chars().count() <= CAUSE_LIMIT && !shown.contains("sk-"), "a secret is not cut in two: {shown}");
    }
}
