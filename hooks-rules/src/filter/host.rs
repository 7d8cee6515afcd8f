//! Matches the host of a URL.

use super::wildcard;

/// Whether a URL leads to a host that the pattern selects: `desk.example.com`, `*.example.com`, `*`. The pattern of all
/// hosts below a domain selects the domain too.
pub(super) fn selects(pattern: &str, url: &str) -> bool {
    let pattern = pattern.trim();
    host(url).is_none_or(|host| {
        is_host(host, pattern) || pattern.strip_prefix("*.").is_some_and(|domain| is_host(host, domain))
    })
}

/// The host of a URL, without user, port and path. `None` if a client could parse it differently.
fn host(url: &str) -> Option<&str> {
    let rest = url.trim().split_once("://").map(|(_, rest)| rest)?;
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.contains('\\'))?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!host.is_empty() && host.chars().all(is_plain)).then_some(host)
}

/// Whether `host` may be the host `named` by a rule. Internationalised names and IP addresses have several spellings.
fn is_host(host: &str, named: &str) -> bool {
    let is_number = |host: &str| {
        let last = host.rsplit('.').next().unwrap_or_default();
        last.starts_with(|c: char| c.is_ascii_digit())
    };
    let ways = !named.is_ascii() && host.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--"));
    wildcard(&named.to_ascii_lowercase(), &host.to_ascii_lowercase()) || ways || (is_number(host) && is_number(named))
}
