//! Whether an image may be loaded.

use wildmatch::WildMatch;

/// The hosts from which images may be loaded.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub(super) hosts: Vec<WildMatch>,
    /// Whether an image on the page's own host may be loaded.
    pub(super) relative: bool,
}

impl Sources {
    /// Whether the address is written plainly and its host is listed. What a browser might read in another way is not.
    pub(super) fn allow(&self, address: &str) -> bool {
        let plain = |c: char| c.is_ascii_graphic() && !"\\\"'<>`{}|^".contains(c);
        if !address.chars().all(plain) {
            return false;
        }
        let scheme = ["https://", "http://"]
            .into_iter()
            .find(|scheme| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let Some(scheme) = scheme else {
            return self.relative && is_relative(address);
        };
        let rest = &address[scheme.len()..];
        let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
        let is_host =
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        is_host && is_port && self.hosts.iter().any(|listed| listed.matches(&host))
    }
}

/// Whether the address is below the page, and cannot leave its host.
fn is_relative(address: &str) -> bool {
    let path = address.strip_prefix("./").or_else(|| address.strip_prefix('/')).unwrap_or(address);
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    path.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-~%+@".contains(&byte))
        && !path.contains("//")
}
