//! IP addresses, version 4 and 6.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use crate::digits::{is_behind_escape, starts};
use crate::finder::before;

/// The most characters of an address, with what may stand around it in its run. A longer run is a dump.
const RUN: usize = 128;

pub(super) fn next(text: &str, from: usize) -> Option<Range<usize>> {
    // A run is read from its beginning, also in a stream whose window begins within it.
    let mut at = from - text[..from].chars().rev().take(RUN + 1).take_while(|c| is_part(*c)).count();
    loop {
        let start = at + text[at..].find(is_part)?;
        let end = start + text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        let begins = starts(text, start).filter(|begin| *begin < end && end - start <= RUN);
        let mut found = begins.filter_map(|begin| address(text, begin, end));
        if let Some(found) = found.find(|found| found.start >= from) {
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
    let last = text[..start].chars().next_back();
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    if word(text[end..].chars().next()) {
        return None;
    }
    let run = &text[start..end];
    if word(last) && !is_behind_escape(text, start) {
        return behind_a_name(text, start, run);
    }
    // A part of a list: `x[::2]`, `x[::3, ::4]`.
    let is_slice = run.split(':').count() <= 3 && run.bytes().all(|byte| byte == b':' || byte.is_ascii_digit());
    let near = &text[before(text, start, 32)..start];
    let slices = near.trim_end_matches(|c: char| c.is_ascii_digit() || " ,:-".contains(c));
    let name = slices.strip_suffix('[').filter(|_| is_slice);
    if name.is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric() || "_)]".contains(c))) {
        return None;
    }
    let trimmed = run.trim_end_matches('.');
    // `::1` begins with colons, `at 10:` ends with one.
    let candidates = [trimmed, trimmed.trim_end_matches(':'), trimmed.trim_start_matches(':').trim_end_matches(':')];
    for candidate in candidates {
        let at = start + run.find(candidate)?;
        if is_address(candidate) && !is_version(text, at) {
            return Some(at..at + candidate.len() + zone(candidate, &text[at + candidate.len()..]));
        }
    }
    before_a_port(text, start, run).or_else(|| behind_a_name(text, start, run))
}

/// The length of the interface behind an address of a link: `fe80::1%eth0`.
fn zone(address: &str, rest: &str) -> usize {
    let name =
        rest.strip_prefix('%').filter(|_| address.get(..4).is_some_and(|link| link.eq_ignore_ascii_case("fe80")));
    let name = name.map(|name| name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len());
    name.filter(|length| *length > 0).map_or(0, |length| length + 1)
}

/// Names of addresses, or their ends.
const NAMES: &[&str] =
    &["ip", "ipv4", "src", "dst", "addr", "address", "host", "client", "remote", "peer", "from", "server"];

/// The address behind a name, whose end may look like a part of it: `src:10.0.0.1`. Behind others there may be a version:
/// `nginx:1.2.3.4`.
fn behind_a_name(text: &str, start: usize, run: &str) -> Option<Range<usize>> {
    let at = run.find(':')? + 1;
    let found = before_a_port(text, start + at, &run[at..])?;
    let name = &text[before(text, start + at - 1, 12)..start + at - 1];
    let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    let is_known = NAMES.iter().any(|known| name.ends_with(known)) || run[at..].contains(':');
    (is_known || text[found.clone()].split('.').any(|part| part.len() == 3)).then_some(found)
}

/// An address that a port may follow: `10.0.0.1:8080`.
fn before_a_port(text: &str, start: usize, run: &str) -> Option<Range<usize>> {
    let mut parts = run.trim_end_matches(['.', ':']).split(':');
    let (host, port) = (parts.next()?, parts.next().unwrap_or_default());
    let is_port = port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()) && parts.next().is_none();
    (is_port && host.parse::<Ipv4Addr>().is_ok() && !is_version(text, start)).then(|| start..start + host.len())
}

fn is_address(text: &str) -> bool {
    // `a::b` is more often a path of a program, and eight pairs are the address of a device.
    text.parse::<Ipv4Addr>().is_ok()
        || (text.split(':').any(|part| part.len() != 2)
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && text.parse::<Ipv6Addr>().is_ok())
}

/// Whether a word before it says that it is a version: `version 1.2.3.4`, `v1.2.3.4`.
fn is_version(text: &str, at: usize) -> bool {
    // The version of a program: `Chrome/124.0.0.0`.
    let program = text[..at].strip_suffix('/').unwrap_or_default();
    let number = text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    if program.ends_with(|c: char| c.is_ascii_alphabetic()) && number.starts_with(".0.0.0") {
        return true;
    }
    let words = text[..at].trim_end_matches([' ', ':', '=', '"', '-']);
    let word = words.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let word = if word.starts_with(['v', 'V']) { word.trim_end_matches(|c: char| c.is_ascii_digit()) } else { word };
    ["v", "version", "ver", "release", "build", "section", "oid"].iter().any(|name| word.eq_ignore_ascii_case(name))
}
