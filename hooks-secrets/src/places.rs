//! Secrets at certain places: user information of URLs, credentials of HTTP, private keys, arguments of some programs.

use std::ops::Range;
use std::sync::LazyLock;

use crate::names::{is_opaque, is_placeholder};
use crate::pattern::{Pattern, regex};

static USER_INFO: Pattern = LazyLock::new(|| regex(r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/"'<>`\\]+)@"#));

/// The scheme of an `Authorization` header without its name.
static SCHEME: Pattern =
    LazyLock::new(|| regex(r"(?i)\b(?:bearer|basic|digest|negotiate|apikey|token)\s+([A-Za-z0-9._~+/=-]{16,})"));

/// Links that let everybody in who has them.
static LINK: Pattern = LazyLock::new(|| {
    regex(
        r"(?i)/(?:[a-z]+[-_])?(?:reset|verify|verification|confirm|invite|invitation|magic|activate|unsubscribe|login|signin)(?:[-_][a-z]+)?/([A-Za-z0-9_.~-]{16,})",
    )
});

/// Programs with a password in an option of one letter.
static ARGUMENT: Pattern = LazyLock::new(|| {
    regex(
        r"\b(?:sshpass\s+-p\s*|mysql\w*\b[^\n|;&]*?\s-p|redis-cli\b[^\n|;&]*?\s-a\s+|curl\b[^\n|;&]*?\s(?:-u|--user)[\s=]+[^\s:]+:)(\S{3,})",
    )
});

/// A private key, also one whose end is missing. Its line breaks may be escaped.
static KEY: Pattern = LazyLock::new(|| {
    regex(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    )
});

/// The end of a private key, whose beginning is in an earlier text.
static KEY_END: Pattern =
    LazyLock::new(|| regex(r"(?:[A-Za-z0-9+/=]{16,}(?:\s|\\n|\\r)*)+-----END [A-Z0-9 ]*PRIVATE KEY"));

pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.contains("://") {
        for user in USER_INFO.iter().flat_map(|rule| rule.captures_iter(text)).filter_map(|user| user.get(1)) {
            let secret = match user.as_str().find(':') {
                Some(colon) => user.start() + colon + 1..user.end(),
                None if is_opaque(user.as_str()) && user.len() >= 12 => user.range(),
                None => continue,
            };
            if !is_placeholder(&text[secret.clone()]) {
                found.push(secret);
            }
        }
    }
    for (rule, may_be_word) in [(&SCHEME, false), (&LINK, false), (&ARGUMENT, true)] {
        let secrets = rule.iter().flat_map(|rule| rule.captures_iter(text)).filter_map(|found| found.get(1));
        // Words such as `basic introduction-to-something`.
        let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
        let secrets = secrets.filter(|found| may_be_word || !is_word(found.as_str()));
        found.extend(secrets.filter(|found| !is_placeholder(found.as_str())).map(|found| found.range()));
    }
    if text.contains("PRIVATE KEY") {
        for rule in [&KEY, &KEY_END] {
            found.extend(rule.iter().flat_map(|rule| rule.find_iter(text)).map(|found| found.range()));
        }
    }
    found
}
