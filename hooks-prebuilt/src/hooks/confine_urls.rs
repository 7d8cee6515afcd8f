//! `confine_urls`: the addresses in the arguments of tools have to be listed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use regex::Regex;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::addresses::{self, Address};
use crate::fields::FieldsOf;
use crate::parameters::{Fields, from_fields, patterns, unknown};

/// The parameters of `confine_urls`.
#[derive(Clone, Debug)]
pub struct ConfineUrls {
    tools: Vec<WildMatch>,
    /// Fields that hold nothing but an address.
    fields: FieldsOf,
    hosts: Vec<WildMatch>,
    schemes: Vec<String>,
    userinfo: bool,
    ip_literals: bool,
    /// Besides the usual port of the scheme.
    ports: Vec<u16>,
}

from_fields!(ConfineUrls, |fields: &mut Fields| {
    let schemes: Vec<String> = fields.or("schemes", vec!["https".to_owned()]);
    let schemes: Vec<_> = schemes.iter().map(|scheme| scheme.trim_end_matches("://").to_ascii_lowercase()).collect();
    if schemes.is_empty() {
        fields.problem("`schemes` is empty, so that every address is denied; write one such as `https`");
    }
    // A scheme can have any name, but one that is nearly that of the web is a mistake.
    let is_near =
        |scheme: &&String| !["https", "http"].contains(&&***scheme) && strsim::osa_distance(scheme, "https") == 1;
    if let Some(near) = schemes.iter().find(is_near) {
        fields.problem(unknown("scheme", near, ["https", "http"].into_iter()));
    }
    let (hosts, ip_literals) = (addresses::hosts(fields, "hosts"), fields.or("ip_literals", false));
    let is_ip = |host: &&WildMatch| addresses::host_of(&host.pattern()).is_ok_and(|(_, is_ip)| is_ip);
    if let Some(host) = hosts.iter().find(is_ip).filter(|_| !ip_literals) {
        fields.problem(format_args!("`hosts`: `{host}` is a number; add `\"ip_literals\": true`, or write a name"));
    }
    let names: BTreeMap<String, Vec<String>> = fields.or("fields", BTreeMap::new());
    ConfineUrls {
        tools: patterns(fields, "tools", &["*"]),
        fields: FieldsOf::read(names, fields),
        hosts,
        schemes,
        userinfo: fields.or("userinfo", false),
        ip_literals,
        ports: fields.or("ports", Vec::new()),
    }
});

/// Where an address begins in a text, also right behind a letter: a Chinese one, a line of Markdown's emphasis. Clients
/// take any slashes, or none, after the scheme of the web. `note:x` and `// x.y` are no addresses.
static BEGINNING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?ix) (?:https?|wss?|ftps?):[/\\]*[^\s/\\] | (?-u:\b)file:[/\\] | [a-z][a-z0-9+.-]{1,20}:[/\\]{2}
        | (?-u:\b)(?:javascript|mailto):\S | (?-u:\b)data:(?:[a-z]+/[a-z0-9.+-]+)?[,;]\S
        | [\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}:[^\s:] | [\s"'(=<]//(?:[\w-]+\.)+[\w-]+[/?\#"')>]"#;
    Regex::new(pattern).ok()
});

/// Schemes without a host that `schemes` can permit.
const HOSTLESS: [&str; 3] = ["data", "javascript", "mailto"];

impl ConfineUrls {
    /// Judges a call by the addresses in its arguments.
    ///
    /// # Errors
    /// The address that is not listed, or cannot be read.
    pub fn judge(&self, tool: &str, input: &Value) -> Result<(), String> {
        for text in self.fields.texts(tool, input, "an address")? {
            self.check(text)?;
        }
        if self.tools.iter().any(|pattern| pattern.matches(tool)) { self.search(input) } else { Ok(()) }
    }

    /// Judges one address.
    ///
    /// # Errors
    /// Why it is denied.
    pub fn check(&self, url: &str) -> Result<(), String> {
        let is_listed = |port: Option<u16>| port.is_some_and(|port| self.ports.contains(&port));
        let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let because = match Address::read(url) {
            Err(_) if HOSTLESS.contains(&&*scheme) && self.schemes.contains(&scheme) => return Ok(()),
            Err(because) => because.to_owned(),
            Ok(address) if !self.schemes.contains(&address.scheme) => {
                format!("its scheme is not one of `{}`", self.schemes.join("`, `"))
            }
            Ok(address) if address.has_user && !self.userinfo => "it contains a user before its host".to_owned(),
            Ok(address) if address.is_ip && !self.ip_literals => "its host is a number; write a name".to_owned(),
            Ok(address) if !address.is_usual_port() && !is_listed(address.port) => "its port is not listed".to_owned(),
            Ok(address) if !self.hosts.iter().any(|host| host.matches(&address.host)) => {
                format!("the host `{}` is not listed", address.host)
            }
            Ok(_) => return Ok(()),
        };
        Err(format!("the address `{}` is denied: {because}", shown(url)))
    }

    /// Judges the addresses in every text.
    fn search(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::String(text) => self.search_text(text),
            Value::Array(items) => items.iter().try_for_each(|item| self.search(item)),
            Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
                self.search_text(key)?;
                self.search(value)
            }),
            _ => Ok(()),
        }
    }

    fn search_text(&self, text: &str) -> Result<(), String> {
        let beginning = BEGINNING.as_ref().ok_or("the pattern of addresses cannot be read")?;
        // A client that gets the whole text removes what is not seen before it reads the scheme.
        let hidden = |c: char| c.is_control() || addresses::is_invisible(c);
        let whole = text.trim_matches(|c| c == ' ' || hidden(c));
        let plain: String = whole.chars().filter(|c| !hidden(*c)).collect();
        let begins = |text: &str| beginning.find(text).is_some_and(|found| found.start() == 0);
        // What comes before an address on a line of its own belongs to no scheme: that address is found below.
        let scheme = whole.split(':').next().and_then(|scheme| scheme.rsplit(hidden).next()).unwrap_or_default();
        let is_found = || whole.find(':').is_some_and(|colon| begins(&whole[colon - scheme.len()..]));
        if (begins(&plain) && !is_found()) || is_without_scheme(&plain) {
            return self.check(whole);
        }
        let mut at = 0;
        while let Some(found) = beginning.find_at(text, at) {
            let rest = &text[found.start()..];
            // A client that gets the whole text reads `https://example.org'@evil.org` to its end.
            let is_first = found.start() == text.len() - text.trim_start_matches(|c| c == ' ' || hidden(c)).len();
            let ends = |c: char| {
                c.is_whitespace() || (!is_first && "\"'<>`|{}^，、；：！？（）「」『』【】《》“”".contains(c))
            };
            let end = rest.find(ends).unwrap_or(rest.len());
            // Some end an address where others go on: `[a](https://example.org/x),[b](https://evil.org)`.
            let goes_on = |c: char| c.is_alphanumeric() || "=/&?%:#+~@._-".contains(c);
            let first = found.len();
            let within = beginning.find_iter(rest.get(first..end).unwrap_or_default());
            let next = within.map(|next| first + next.start()).find(|next| !rest[..*next].ends_with(goes_on));
            let end = next.filter(|_| !is_first).unwrap_or(end);
            // The whole text is an address, also of a number: `http:0`.
            let is_whole = is_first && whole.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(':');
            if !is_whole && is_number(rest, is_first) {
                at = found.end();
                continue;
            }
            // `startswith('https://')` names no host.
            let bare = rest[..end].trim_end_matches(['/', '\\']);
            if !is_first && bare.find(':').is_some_and(|colon| colon + 1 == bare.len()) {
                at = found.start() + end.max(1);
                continue;
            }
            let url = rest[..end].trim_end_matches(['。', '．', '.', ',', ';', ':', '!', '?', ')', ']', '*', '_']);
            let url = if url.contains('[') && !url.contains(']') { &rest[..end] } else { url };
            self.check(url)?;
            // What is behind a host without a path, a client may take for a part of it.
            if !url.split_once("://").is_some_and(|(_, host)| host.contains(['/', '?', '#'])) {
                let behind = &rest[end..];
                if has_user(behind) {
                    return self.check(rest.split(char::is_whitespace).next().unwrap_or(rest));
                }
                // One that gets the whole text: `https://example.org @evil.org`, or a tab or line break within the host.
                let line = behind.split(['/', '?', '#', '\n']).next().unwrap_or_default();
                let after = behind.trim_start_matches(['\t', '\n', '\r']);
                let is_joined = after.len() < behind.len() && beginning.find(after).is_none_or(|next| next.start() > 0);
                if is_first && (line.contains('@') || is_joined) {
                    return self.check(whole);
                }
            }
            at = found.start() + next.unwrap_or(end).max(1);
        }
        Ok(())
    }
}

/// Whether what looks like an address is the number of a port or an error: `http:404 not found`.
fn is_number(rest: &str, is_first: bool) -> bool {
    let number = rest.split_once(':').map_or("", |(_, number)| number);
    let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
    // A client that gets the whole text joins its lines.
    let ends = |c: char| c == ' ' || (!is_first && (c.is_whitespace() || ",;)]}\"'`".contains(c)));
    (1..=5).contains(&(number.len() - after.len())) && after.chars().next().is_none_or(ends)
}

/// Whether a client that does not end the address where this module does takes it for a user: `https://example.org}@evil.org`.
fn has_user(behind: &str) -> bool {
    let goes_on = behind.starts_with(['|', '{', '}', '^', '`']);
    let more = behind.split(|c: char| c.is_whitespace() || "/?#".contains(c)).next().unwrap_or_default();
    let same = more.split(['"', '\'', '<', '>', ',', ';']).next().unwrap_or_default();
    let signs = more.trim_start_matches(|c: char| c != '@' && !c.is_alphanumeric());
    signs.starts_with('@') || (goes_on && same.contains('@'))
}

/// Whether a client may read this as the address of another host: `//example.org/x`. A comment, `//nolint:x`, is none: its
/// only word is no name of a host with a dot or a port.
fn is_without_scheme(text: &str) -> bool {
    let slashes = ['/', '\\'];
    let rest = text.trim_start_matches(slashes);
    let host = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    if text.len() - rest.len() < 2 || host.is_empty() || host.contains(' ') {
        return false;
    }
    let is_word = text.len() - rest.len() == 2 && text.starts_with("//") && !rest.contains(['/', '\\', '?']);
    let (user, host) = host.rsplit_once('@').unwrap_or(("", host));
    let port = host.rsplit(':').next().unwrap_or_default();
    // Code: `//fmt.Println(x)`.
    let is_name = host.rsplit_once('.').is_some_and(|(_, last)| !last.contains(['(', ')', '=']));
    let is_known = is_name
        || !user.is_empty()
        || host.starts_with('[')
        || host.contains('%')
        || !host.is_ascii()
        || host.eq_ignore_ascii_case("localhost")
        || (port.starts_with(|c: char| c.is_ascii_digit())
            && port.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x'));
    !is_word || is_known
}

/// The beginning of an address, without what nobody sees.
fn shown(url: &str) -> String {
    let plain: String = url.chars().take(120).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if plain.len() < url.len() { plain + "…" } else { plain }
}

/// Denies calls with addresses that are not listed. It resolves no names and follows no redirects.
#[hook(kind = before_tool_call)]
pub fn confine_urls(urls: &With<ConfineUrls>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    urls.judge(&event.call.name, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
