//! Secrets at certain places: user information of URLs, credentials of HTTP, private keys, arguments of some programs.

use std::ops::Range;

use crate::names::{hides, is_opaque, is_placeholder, is_words};
use crate::pattern::{Pattern, patterns};

/// An element of XML, an entry of a list that has a name and a value, or a part of a form: its name and the value. They are
/// looked for only in texts with all of these words.
static NAMED: [(&Pattern, &[&str]); 5] = [
    (&ELEMENT, &[">", "</"]),
    (&ENTRY, &["value"]),
    (&CALL, &["(", ","]),
    (&VARIABLE, &["variable", "default"]),
    (&PART, &["form-data"]),
];

patterns! {
    USER_INFO = r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/"'<>`\\]+)@"#;

    /// The scheme of an `Authorization` header without its name.
    SCHEME = r"(?i)\b(?:bearer|basic|digest|negotiate|apikey|token)\s+([A-Za-z0-9._~+/=-]{16,})";

    /// Links that let everybody in who has them.
    LINK = r"(?i)/(?:[a-z]+[-_])?(?:reset|verify|verification|confirm|invite|invitation|magic|activate|unsubscribe|login|signin)(?:[-_][a-z]+)?/([A-Za-z0-9_.~-]{16,})";

    /// Programs with a password in an option of one letter.
    ARGUMENT = r#"\b(?:(?:machine\s+\S+|default)(?:\s+account\s+\S+)?\s+login\s+\S+\s+password\s+|docker\s+login\b[^\n|;&]*?\s(?:-p|--password)[\s=]+|mongo\w*\b[^\n|;&]*?\s-p\s*|sshpass\s+-p\s*|mysql\w*\b[^\n|;&]*?\s-p|redis-cli\b[^\n|;&]*?\s-a\s+|requirepass\s+|sqlplus\s+(?:-\S+\s+)*[^\s/]+/|proxy-user[\s=]+[^\s:]+:|oauth2-bearer[\s=]+|curl\b(?:"[^"\n]*"|'[^'\n]*'|\\\r?\n|[^\n|;&])*?\s(?:-u|--user)[\s=]+[^\s:]+:)(\S{3,})"#;

    /// What stands behind the name of an account, if it looks like no word: `The login page password field`.
    LOGIN = r"\blogin\s+\S+(?:\s+account\s+\S+)?\s+password\s+(\S{3,})";

    ELEMENT = r"<([A-Za-z_][\w.-]*)>\s*([^<>\s]{4,})\s*</";

    ENTRY = r#"\b(?:name|key)\\*["']?\s*[:=]\s*\\*["']?([\w.-]+)\\*["']?[,\s]\s*\\*["']?value\\*["']?\s*[:=]\s*(?:\\*["'])?((?:[^\s"',}\\]|\\+[^\s"',}\\]){4,})"#;

    /// A name and a value as two arguments of a call, and the value of a variable of Terraform.
    CALL = r#"\b(?:define|env|setenv|Setenv|putenv|set_var|setItem|SetEnvironmentVariable)\(\s*["']([\w.-]+)["']\s*,\s*["']([^\s"']{4,})["']"#;

    VARIABLE = r#"\bvariable\s+"([\w-]+)"\s*\{[^{}]*?\bdefault\s*=\s*"([^\s"]{4,})""#;

    /// What stands behind the empty line. Line breaks may be escaped.
    PART = r#"\bform-data;[ \t]*name=\\*["']?([\w.\[\]-]+)\\*["']?(?:(?:\r?\n|(?:\\+\x01){1,2})[\w-]+:[^\r\n\\]*)*(?:\r?\n|(?:\\+\x01){1,2}){2}([^\r\n\\]+)"#;

    /// What stands in quotes behind these words.
    QUOTED = r#"\b(?:(?:WITH|with) (?:PASSWORD|password)\s+|(?:IDENTIFIED BY|identified by)\s+|type=["']password["'][^<>]*?\svalue=|(?:withToken|bearer_auth)\()["']([^\s"'<>]{4,})["']"#;

    /// A sentence that tells a secret.
    SAID = r#"(?i)\b(?:password|passphrase|passcode|api[ -]key|secret key|access token)\s+is:?\s+["'`]?([^\s"'`<>]{6,})"#;

    /// The key in a file of the program `PuTTY`.
    PUTTY = r"Private-Lines: \d+(?:\s+[A-Za-z0-9+/=]{16,})+";

    /// A private key, also one whose end is missing. Its line breaks may be escaped.
    KEY = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)";

    /// The end of a private key, whose beginning is in an earlier text.
    KEY_END = r"(?:[A-Za-z0-9+/=]{16,}[\s\\\x01]*)+-----END [A-Z0-9 ]*PRIVATE KEY";
}

pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.contains("://") {
        for user in USER_INFO.iter().flat_map(|rule| rule.captures_iter(text)).filter_map(|user| user.get(1)) {
            let secret = match user.as_str().find(':') {
                Some(colon) => user.start() + colon + 1..user.end(),
                None if is_opaque(user.as_str()) && user.len() >= 12 => user.range(),
                None => continue,
            };
            if !is_placeholder(&text[secret.clone()]) && !["password", "pass"].contains(&&text[secret.clone()]) {
                found.push(secret);
            }
        }
    }
    // Words such as `basic introduction-to-something`.
    let is_word: fn(&str) -> bool =
        |text| text.trim_end_matches('.').chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    for (rule, is_harmless) in
        [(&SCHEME, is_word), (&LOGIN, is_word), (&LINK, is_words), (&ARGUMENT, |_| false), (&QUOTED, is_word)]
    {
        let secrets = rule.iter().flat_map(|rule| rule.captures_iter(text)).filter_map(|found| found.get(1));
        let secrets = secrets.filter(|found| !is_harmless(found.as_str()));
        found.extend(secrets.filter(|found| !is_placeholder(found.as_str())).map(|found| found.range()));
    }
    let rules = NAMED.iter().filter(|(_, words)| words.iter().all(|word| text.contains(word)));
    for named in rules.flat_map(|(rule, _)| rule.iter()).flat_map(|rule| rule.captures_iter(text)) {
        let (Some(name), Some(value)) = (named.get(1), named.get(2)) else { continue };
        // Not a variable of a program.
        let is_text = value.as_str().starts_with(char::is_alphanumeric) && !value.as_str().contains('(')
            || text[..value.start()].ends_with(['\n', '\x01']);
        if is_text && hides(name.as_str(), value.as_str()) {
            found.push(value.range());
        }
    }
    let said = SAID.iter().filter(|_| text.contains(" is")).flat_map(|rule| rule.captures_iter(text));
    found.extend(said.filter_map(|said| said.get(1)).filter_map(|said| {
        let secret = said.as_str().trim_end_matches(['.', ',', '!', '?', ')']);
        is_opaque(secret).then(|| said.start()..said.start() + secret.len())
    }));
    for (rule, word) in [(&KEY, "PRIVATE KEY"), (&KEY_END, "PRIVATE KEY"), (&PUTTY, "Private-Lines")] {
        let rule = rule.iter().filter(|_| text.contains(word));
        found.extend(rule.flat_map(|rule| rule.find_iter(text)).map(|found| found.range()));
    }
    found
}
