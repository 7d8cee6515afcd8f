//! Whether an image may be loaded.

use wildmatch::WildMatch;

use crate::addresses::Address;

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
        match Address::read(address) {
            Ok(read) => {
                ["https", "http"].contains(&&*read.scheme)
                    && !read.has_user
                    && self.hosts.iter().any(|listed| listed.matches(&read.host))
            }
            Err(_) => self.relative && is_relative(address),
        }
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
