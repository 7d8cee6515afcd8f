//! IP addresses, version 4 and 6.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use crate::digits::is_escape;

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + text[at..].find(is_part)?;
        let end = start + text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        if let Some(found) = address(text, start.max(from), end) {
            return Some(found);
        }
        at = end;
    }
}

/// Whether an address may contain the character.
fn is_part(c: char) -> bool {
    c.is_ascii_hexdigit() || matches!(c, ':' | '.')
}

/// The address within a run of such characters.
fn address(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let before = text[..start].chars().next_back();
    // The letter of an escape such as `\b` or `\f` is not part of it.
    let start = start + usize::from(is_escape(text, start + 1) && text[start..].starts_with(['b', 'f']));
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    if (word(before) && !is_escape(text, start)) || word(text[end..].chars().next()) {
        return None;
    }
    let run = &text[start..end];
    let trimmed = run.trim_end_matches('.');
    // `::1` begins with colons, `at 10:` ends with one.
    let candidates = [trimmed, trimmed.trim_end_matches(':'), trimmed.trim_start_matches(':').trim_end_matches(':')];
    for candidate in candidates {
        let at = start + run.find(candidate)?;
        if is_address(candidate) && !is_version(text, at) {
            return Some(at..at + candidate.len());
        }
    }
    // A port: `10.0.0.1:8080`.
    let (host, port) = trimmed.split_once(':')?;
    let port = port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    (port && host.parse::<Ipv4Addr>().is_ok() && !is_version(text, start)).then(|| start..start + host.len())
}

fn is_address(text: &str) -> bool {
    // `a::b` is more often a path of a program.
    text.parse::<Ipv4Addr>().is_ok()
        || (text.bytes().any(|byte| byte.is_ascii_digit()) && text.parse::<Ipv6Addr>().is_ok())
}

/// Whether a word before it says that it is a version: `version 1.2.3.4`, `v1.2.3.4`.
fn is_version(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', ':', '=', '"']);
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    ["v", "version", "ver", "release", "build", "section"].iter().any(|name| word.eq_ignore_ascii_case(name))
}
