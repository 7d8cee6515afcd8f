//! Secrets by the name before them: `password = "…"`, `--api-key …`, `?token=…`, `Cookie: …`.

use std::ops::Range;
use std::sync::LazyLock;

use crate::names::{self, Name, is_path, is_placeholder, is_words};
use crate::pattern::{Pattern, patterns, regex};

patterns! {
    /// What each of these names contains, apart from some that count in URLs only.
    HINT = r"(?i)pass|pw|psk|secret|token|key|auth|cookie|cred|sig|jwt|otp|pin|sid|code|assertion|dsn|pat\b|salt|pepper|kennwort|connection.?string|web.?hook";
}

/// A name and what separates it from its value. Both may be in the signs of Markdown, or in colours of a terminal.
static NAMED: Pattern = LazyLock::new(|| {
    let mark = r"(?:\*{1,2}|(?:\x1b|\\+)\x01+)?";
    // The type of a variable, and the block or the type of a value in YAML.
    let more = r"(?:(?:string|str|String|&str|&'static str)[ \t]*=|[|>][+-]?[ \t]*\n|!!str[ \t])[ \t]*";
    let by = format!(
        r#"(?:\\*["']\]?)?{mark}[ \t]{{0,3}}(?:=>|(?:string[ \t]{{1,3}})?[.+?|]{{0,2}}:{{0,3}}=|:[ \t]{{0,3}}{more}|:){mark}[ \t\u{{a0}}]{{0,3}}{mark}"#
    );
    regex(&format!(r"(?P<name>[A-Za-z_][A-Za-z0-9_.\-]*)(?P<by>{by}|[ \t]+)"))
});

/// Names whose value is the rest of the line.
const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie"];

/// Names that are those of secrets only in a URL.
const QUERY: &[&str] = &["key", "code", "session", "ticket", "hash", "access", "signature"];

pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let named = NAMED.iter().filter(|_| is_hinted(text)).flat_map(|rule| rule.captures_iter(text));
    named.filter_map(|found| secret(text, found.name("name")?.range(), found.name("by")?.range())).collect()
}

/// Whether a text may contain such a name. It spares most names a look at their words.
fn is_hinted(text: &str) -> bool {
    HINT.as_ref().is_some_and(|hint| hint.is_match(text))
}

/// How a value is given.
struct Given {
    range: Range<usize>,
    is_quoted: bool,
}

/// The secret after a name and its separator.
fn secret(text: &str, name: Range<usize>, by: Range<usize>) -> Option<Range<usize>> {
    let (before, separator) = (&text[..name.start], text[by.clone()].trim_matches(['"', '\'', '\\', '*']));
    let is_of_image = |line: &str| line.is_empty() || line.ends_with('\n');
    let is_flag = before.ends_with("--")
        || before.strip_suffix("ENV ").is_some_and(|line| is_of_image(line.trim_end_matches([' ', '\t'])))
        || ["setx ", "set -gx ", "set -Ux ", "set -x "].iter().any(|set| before.ends_with(set))
        || (before.ends_with('-') && !before.ends_with(|c: char| c.is_alphanumeric()));
    let is_space = separator.trim().is_empty();
    let is_query = before.ends_with(['?', '&', '#', ';']) && separator == "=";
    if (is_space && !is_flag) || !(is_query || is_hinted(&text[name.clone()])) {
        return None;
    }
    // `input("Password: ")` ends here.
    let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    if quote.is_some_and(|quote| !text[by.clone()].contains(quote) && text[by.end..].starts_with(quote)) {
        return None;
    }
    let name = text[name].trim_matches(['-', '.', '_']);
    let words = names::words(name);
    let joined = words.concat();
    let kind = match names::of(name) {
        Name::Secret if before.ends_with(':') && words.last().is_some_and(|last| names::is_task(before, last)) => {
            Name::Perhaps
        }
        Name::Harmless if is_query && words.last().is_some_and(|word| QUERY.contains(&word.as_str())) => Name::Perhaps,
        kind => kind,
    };
    if kind == Name::Harmless {
        return None;
    }
    let is_header = HEADERS.contains(&joined.as_str()) && separator.trim() == ":";
    let Given { range, is_quoted } =
        if is_header { header(text, before, by.end)? } else { given(text, by.end, is_query)? };
    let value = &text[range.clone()];
    // `PASS: test_login_2`, `--api-key KEY`
    let is_outcome = (name == "PASS" && separator.trim() == ":" && is_words(value))
        || (is_flag && !value.contains(char::is_lowercase) && joined.ends_with(&names::words(value).concat()));
    if is_placeholder(value) || is_outcome || (kind == Name::Perhaps && !names::is_key(name, value)) {
        return None;
    }
    let is_tight = is_query || is_flag || separator == "=";
    let is_hyphenated = name.contains('-') && value.len() >= 8;
    let has_form =
        is_hyphenated || value.contains(|c: char| !c.is_alphabetic() && !" _.:-".contains(c)) && value.len() >= 4;
    let is_secret = if is_header {
        let is_secret = |part: &str| part.len() >= 12 || part.contains(|c: char| c.is_ascii_digit() || c == '=');
        value.split_whitespace().any(|part| is_secret(part) && !is_placeholder(part.trim_matches('`')))
    } else if is_quoted {
        value.split_whitespace().count() <= 5
    } else if is_tight {
        (is_flag || !is_code(text, &joined, &range))
            && !(is_space && value.len() <= 4 && value.chars().all(char::is_lowercase))
    } else {
        // The secrets of an address have places of their own.
        let is_address = value.starts_with("http://") || value.starts_with("https://");
        has_form && !is_address && !is_code(text, &joined, &range)
    };
    (is_secret && !is_path(name, value)).then_some(range)
}

/// The value of a header: the rest of the line, or of the quote that begins before the name.
fn header(text: &str, before: &str, at: usize) -> Option<Given> {
    let quote = before.chars().next_back().filter(|c| "\"'`".contains(*c));
    let rest = &text[at..];
    if rest.starts_with(['"', '\'', '\\']) {
        // A field of JSON and no header.
        return given(text, at, false);
    }
    let end = rest.find(|c| c == '\n' || c == '\r' || Some(c) == quote).unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches('\\');
    (!value.trim().is_empty()).then(|| Given { range: at..at + value.len(), is_quoted: false })
}

/// The value that begins at `at`.
fn given(text: &str, at: usize, is_query: bool) -> Option<Given> {
    let rest = &text[at..];
    let escapes = rest.len() - rest.trim_start_matches('\\').len();
    if let Some(quote @ ('"' | '\'' | '`')) = rest[escapes..].chars().next() {
        // A quote within a quote is escaped once more. If the end is missing, more will come, and the rest counts.
        let delimiter = &rest[..=escapes];
        let value = &rest[delimiter.len()..];
        let ends = value.match_indices(quote).map(|(end, _)| end).find(|end| {
            let before = value[..*end].len() - value[..*end].trim_end_matches('\\').len();
            before == escapes
        });
        let length = ends.map_or(value.len(), |end| end - escapes);
        let line = value[..length].find('\n').unwrap_or(length);
        let start = at + delimiter.len();
        return Some(Given { range: start..start + line, is_quoted: true });
    }
    let begins_another = |at: usize| {
        let name = rest[at + 1..].split('=').next().unwrap_or_default();
        name.len() < rest.len() - at - 1 && !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_end = |(at, c): (usize, char)| match c {
        '\n' | '\r' | '"' | '\'' | '`' | '\\' | ';' | ',' | '<' | '>' | '(' | ')' | '{' | '}' | '|' | '\x1b' => true,
        '&' => is_query || begins_another(at),
        '#' => is_query,
        c => c.is_whitespace(),
    };
    let end = rest.char_indices().find(|part| is_end(*part));
    let value = &rest[..end.map_or(rest.len(), |(at, _)| at)];
    let value = value.trim_end_matches(['.', ':', '!', '?', ' ', ']', '*']);
    (!value.is_empty()).then(|| Given { range: at..at + value.len(), is_quoted: false })
}

/// Whether the value is an expression of a program and not text: a call, a path, a type, a variable of the same name.
fn is_code(text: &str, name: &str, value: &Range<usize>) -> bool {
    let (after, value) = (text[value.end..].chars().next(), &text[value.clone()]);
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphabetic() || c == '_');
    let last = value.rsplit(['.', ':']).next().unwrap_or_default();
    let same = names::words(last).concat();
    matches!(after, Some('(' | '<' | '{' | '['))
        || (value.starts_with(char::is_uppercase)
            && names::words(value).len() > 1
            && name.starts_with(&*names::words(value)[0]))
        || ["U32", "U64", "I32", "I64"].iter().any(|number| value.ends_with(number))
        || value.contains("::")
        || value.contains(['(', '['])
        || value.starts_with(['&', '*', '!', '@', '/', '=', '<', '[', '~', '>', '-', '|', '#'])
        || (!same.is_empty() && (name.ends_with(&same) || same.ends_with(name)))
        || (value.contains('.') && value.split('.').all(is_word))
}
