//! Addresses on the web, read strictly: what a browser, a client and this module might read in different ways is refused.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;
use wildmatch::WildMatch;

use crate::parameters::Fields;

/// An address whose parts everybody reads alike.
#[derive(Debug)]
pub(crate) struct Address {
    /// In lower case.
    pub(crate) scheme: String,
    pub(crate) has_user: bool,
    /// In lower case, without the dot at the end.
    pub(crate) host: String,
    pub(crate) is_ip: bool,
    pub(crate) port: Option<u16>,
}

/// Scheme, user, host and port.
static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?i)([a-z][a-z0-9+.-]*)://(?:([^/?#]*)@)?(\[[^/?#\]]*\]|[^/?#:\[\]]*)(?::([0-9]+))?(?:[/?#]|$)").ok()
});

impl Address {
    /// Reads an absolute address.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || is_invisible(c)) {
            return Err("it contains white space or control characters");
        }
        if text.contains('\\') {
            return Err("it contains a backslash, which some clients read as a slash");
        }
        let parts = ADDRESS.as_ref().and_then(|address| address.captures(text));
        let parts = parts.ok_or("it is not written like `https://host/path` or `https://host:8080/path`")?;
        let user = parts.get(2);
        if user.is_some_and(|user| user.as_str().contains(['@', '[', ']', '<', '>', '"', '\''])) {
            return Err("its host is preceded by several `@`");
        }
        let port = parts.get(4).map(|port| port.as_str().parse()).transpose().map_err(|_| "its port is no number")?;
        let (host, is_ip) = host_of(&parts[3])?;
        Ok(Self { scheme: parts[1].to_ascii_lowercase(), has_user: user.is_some(), host, is_ip, port })
    }

    /// Whether the port is the usual one of the scheme.
    pub(crate) fn is_usual_port(&self) -> bool {
        matches!(
            (&*self.scheme, self.port),
            (_, None) | ("https" | "wss", Some(443)) | ("http" | "ws", Some(80)) | ("ftp", Some(21))
        )
    }
}

/// The host in lower case, and whether it is the address of a machine.
pub(crate) fn host_of(host: &str) -> Result<(String, bool), &'static str> {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        let address: Ipv6Addr = inner.parse().map_err(|_| "its host is no address of IP version 6")?;
        return Ok((format!("[{address}]"), true));
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if !host.split('.').all(label) {
        return Err("its host is not written in plain letters; write an international name with `xn--`");
    }
    // A last label of digits makes a client read the whole as a number, in one of many forms.
    let last = host.rsplit('.').next().unwrap_or_default();
    if last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x") {
        let plain: Ipv4Addr = host.parse().map_err(|_| "its host is a number that clients read in different ways")?;
        return Ok((plain.to_string(), true));
    }
    Ok((host, false))
}

/// Characters that clients remove or do not show.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Patterns of hosts: `example.org`, `*.example.org`.
pub(crate) fn hosts(fields: &mut Fields, name: &'static str) -> Vec<WildMatch> {
    let hosts: Vec<String> = fields.or(name, Vec::new());
    for host in &hosts {
        let inner = host.strip_prefix("*.").unwrap_or(host);
        if host_of(inner).is_err() {
            fields.problem(format_args!(
                "`{name}`: `{host}` is not a host; write one such as `example.com` or `*.example.com`"
            ));
        }
    }
    hosts.iter().map(|host| WildMatch::new(host.to_ascii_lowercase().trim_end_matches('.'))).collect()
}
