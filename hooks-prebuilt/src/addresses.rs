//! Addresses on the web, read strictly: what a browser, a client and this module might read in different ways is refused.

use std::net::{Ipv4Addr, Ipv6Addr};

use wildmatch::WildMatch;

use crate::parameters::Fields;

/// An address whose parts everybody reads alike.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    /// In lower case.
    pub(crate) scheme: String,
    pub(crate) userinfo: Option<&'a str>,
    /// In lower case, without the dot at the end.
    pub(crate) host: String,
    pub(crate) is_ip: bool,
    pub(crate) port: Option<u16>,
}

impl<'a> Address<'a> {
    /// Reads an absolute address.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(text: &'a str) -> Result<Self, &'static str> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || is_invisible(c)) {
            return Err("it contains white space or control characters");
        }
        let (scheme, rest) = text.split_once("://").ok_or("it does not begin with a scheme such as `https://`")?;
        let mut letters = scheme.chars();
        let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        if !begins || !letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
            return Err("its scheme is not one");
        }
        let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        if text.contains('\\') {
            return Err("it contains a backslash, which some clients read as a slash");
        }
        let (userinfo, host) = match authority.rsplit_once('@') {
            Some((userinfo, host)) => (Some(userinfo), host),
            None => (None, authority),
        };
        if userinfo.is_some_and(|userinfo| userinfo.contains(['@', '[', ']', '<', '>', '"', '\''])) {
            return Err("its host is preceded by several `@`");
        }
        let (host, port) = match host.rfind(':').filter(|colon| !host[*colon..].contains(']')) {
            Some(colon) => (&host[..colon], Some(&host[colon + 1..])),
            None => (host, None),
        };
        let is_number = |port: &&str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = match port {
            None => None,
            Some(port) => {
                Some(Some(port).filter(is_number).and_then(|port| port.parse().ok()).ok_or("its port is no number")?)
            }
        };
        let (host, is_ip) = host_of(host)?;
        Ok(Self { scheme: scheme.to_ascii_lowercase(), userinfo, host, is_ip, port })
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
