//! E-mail addresses.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::digits::is_escape;
use crate::finder::before;

/// The forms of an `@`: plain, of full width, in a URL, in JSON, and in HTML.
static AT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"@|＠|%40|\\u0040|&#64;|&#x40;|&commat;").ok());

/// Their first characters.
pub(super) const SIGNS: [char; 5] = ['@', '＠', '%', '\\', '&'];

/// The most characters before the `@`, of the host after it, and before an address that are read. A path after it is at
/// most as long as a local part.
const LOCAL: usize = 64;
const HOST: usize = 180;
const URL: usize = 128;

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    AT.as_ref()?.find_iter(&text[from..]).find_map(|sign| {
        let found = local(text, from + sign.start())?..host(text, from + sign.end())?;
        // A user of a server is no address, but one that is encoded is.
        let is_user = sign.as_str() == "@" && (is_of_url(text, found.start) || is_remote_path(&text[found.end..]));
        (found.start >= from && !is_user).then_some(found)
    })
}

/// Letters of scripts that put spaces between words, so that a neighbouring word is not part of the address.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || (matches!(c, '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{52f}') && c.is_alphabetic())
}

/// Where the part before the `@` begins.
fn local(text: &str, at: usize) -> Option<usize> {
    let from = before(text, at, LOCAL + 1);
    let before = &text[from..at];
    // `"john doe"@example.com`
    if let Some(quoted) = before.strip_suffix('"') {
        let open = quoted.rfind(['"', '\n']).filter(|open| quoted[*open..].starts_with('"'))?;
        return (open + 1 < quoted.len() && before.len() - open <= LOCAL).then_some(from + open);
    }
    // A local part of another script is all letters up to it; before one of these, other words may stand.
    let other = before.chars().next_back().is_some_and(|c| c.is_alphabetic() && !is_letter(c));
    let part = |c: char| is_letter(c) || "._%+'-~!#$^*{}&".contains(c) || (other && c.is_alphabetic());
    let mut start = at;
    for (place, c) in text[from..at].char_indices().rev().take_while(|(_, c)| part(*c)) {
        start = from + place;
        if text[start..at].len() > LOCAL {
            return None;
        }
        // The letter of an escape such as `\n` is not part of it.
        if is_escape(text, start + c.len_utf8()) {
            start += c.len_utf8();
            break;
        }
    }
    let is_begin = |c: char| c.is_alphanumeric() || "_+".contains(c);
    // A parameter before it, as in `?a=b&ada@example.com`, is none of its parts.
    if let Some(sign) = text[start..at].rfind('&').filter(|_| text[..start].ends_with(['=', '?', '&', '/'])) {
        start += sign + 1;
    }
    let first = text[start..at].find(is_begin)?;
    let is_braced = text[..at].ends_with('}') && text[start..start + first].ends_with('{');
    let start = start + first - usize::from(is_braced);
    let before = text[..start].chars().next_back();
    let last = text[..at].chars().next_back()?;
    // `return@map.value`, `this@Main.finish()`.
    let is_label = ["this", "super", "return", "break", "continue"].contains(&&text[start..at]);
    (before != Some('@') && !is_label && last != '.' && !text[start..at].contains("..")).then_some(start)
}

/// Where the host ends.
fn host(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    // `ada@[192.0.2.1]`
    if let Some(literal) = rest.strip_prefix('[') {
        let inner = &literal[..literal.find(']').filter(|end| *end <= LOCAL)?];
        let is_address = inner.parse::<Ipv4Addr>().is_ok()
            || inner.strip_prefix("IPv6:").is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok());
        return is_address.then_some(from + inner.len() + 2);
    }
    // A label that begins with a letter of another script has more of them. Behind others, the next word may stand.
    let mut other = true;
    let mut is_part = |c: char| {
        other = c == '.' || (other && c.is_alphabetic() && !is_letter(c));
        is_letter(c) || other || c == '-'
    };
    let run = rest.char_indices().take_while(|(at, c)| *at < HOST && is_part(*c)).last();
    let run = run.map_or(0, |(at, c)| at + c.len_utf8());
    let run = rest[..run].find("..").unwrap_or(run);
    let mut host = rest[..run].trim_end_matches(['.', '-']);
    if is_file(host) || (rest[run..].starts_with('(') && !is_usual(host)) {
        return None;
    }
    // What follows the host may look like another label: `ada@example.com.2`.
    while !host.rsplit_once('.').is_some_and(|(_, last)| is_top_level(last)) {
        host = host.rsplit_once('.')?.0;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let (first, second) = (labels.first()?, labels.get(1)?);
    let is_label = |label: &&str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    let numeric = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    let version = numeric(first) && numeric(second);
    // `icon@2x.png` is a file for screens of double density.
    let density = first.strip_suffix('x').is_some_and(|scale| !scale.is_empty() && numeric(scale));
    (labels.iter().all(is_label) && !version && !density).then_some(from + host.len())
}

/// The last labels of most addresses.
const USUAL: &str = "com org net edu gov mil info biz app dev online shop cloud xyz tech";

/// The endings of files and units, none of which is a last label.
const FILES: &str =
    "service socket timer mount slice js mjs cjs css ts tsx jsx json html png jpg svg gz tgz tar xz whl";

fn ends_with_one_of(host: &str, known: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    known.split(' ').any(|known| known.eq_ignore_ascii_case(last))
}

/// Whether it ends like most hosts, also with the two letters of a country.
fn is_usual(host: &str) -> bool {
    let last = host.rsplit_once('.').map_or("", |(_, last)| last);
    let is_country = last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_country && !ends_with_one_of(host, FILES)) || ends_with_one_of(host, USUAL)
}

/// Whether it is the name of a file or unit: `wg-quick@wg0.service`, but not `ada@example.com.json`.
fn is_file(host: &str) -> bool {
    ends_with_one_of(host, FILES) && !host.rsplit_once('.').is_some_and(|(host, _)| is_usual(host))
}

fn is_top_level(label: &str) -> bool {
    let letters = label.chars().all(char::is_alphabetic);
    (letters && (2..=63).contains(&label.chars().count()))
        || label.get(..4).is_some_and(|xn| xn.eq_ignore_ascii_case("xn--"))
}

/// Whether the place is in the user part of a URL, as in `https://ada@example.com/`.
fn is_of_url(text: &str, at: usize) -> bool {
    let near = &text[before(text, at, URL)..at];
    let word = near.rsplit(|c: char| c.is_whitespace() || "\"'<>()".contains(c)).next().unwrap_or_default();
    word.rfind("://").is_some_and(|scheme| !word[scheme + 3..].contains(['/', '?', '#', ',', ';', '|']))
}

/// Whether a path follows, as in `git@example.com:team/project.git`.
fn is_remote_path(rest: &str) -> bool {
    let path: String = rest.chars().take(LOCAL).take_while(|c| !c.is_whitespace()).collect();
    path.starts_with(':') && path.contains('/') && !path.contains("://")
}
