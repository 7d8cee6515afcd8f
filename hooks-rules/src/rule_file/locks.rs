//! What a settings file forbids to rules.

use serde_json::Value;

use crate::syntax::{Flaw, Flaws, Node};

/// The locks of one file. A lock that cannot be read allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "runner"), allow(dead_code, reason = "the runner applies them"))]
pub(crate) struct Locks {
    /// Whether only rules of managed settings run. Only such settings can say so.
    pub(crate) managed_only: bool,
    /// The addresses of requests, in which `*` stands for anything.
    pub(crate) urls: Option<Vec<String>>,
    /// The variables in headers of requests.
    pub(crate) variables: Option<Vec<String>>,
}

impl Locks {
    pub(super) fn read(root: &Node, flaws: &mut Flaws) -> Self {
        Self {
            managed_only: switch(root, "allowManagedHooksOnly", flaws),
            urls: list(root, "allowedHttpHookUrls", flaws),
            variables: list(root, "httpHookAllowedEnvVars", flaws),
        }
    }
}

#[cfg(feature = "runner")]
impl Locks {
    /// Whether a request may go to this address.
    pub(crate) fn allow_url(&self, url: &str) -> bool {
        self.urls.as_ref().is_none_or(|urls| urls.iter().any(|pattern| fits(pattern, url)))
    }

    /// Whether headers may contain this variable.
    pub(crate) fn allow_variable(&self, name: &str) -> bool {
        self.variables.as_ref().is_none_or(|names| names.iter().any(|allowed| allowed == name))
    }
}

fn switch(root: &Node, name: &str, flaws: &mut Flaws) -> bool {
    let Some(node) = root.get(name) else { return false };
    match node.value() {
        Value::Bool(on) => on,
        Value::Null => false,
        _ => {
            let problem = format!("`{name}` is true or false; until then it counts as true");
            flaws.push(Flaw::error(node.span.clone(), problem, "write `true` or `false`"));
            true
        }
    }
}

fn list(root: &Node, name: &str, flaws: &mut Flaws) -> Option<Vec<String>> {
    let node = root.get(name)?;
    match node.value() {
        Value::Null => None,
        value => Some(serde_json::from_value(value).unwrap_or_else(|_| {
            let problem = format!("`{name}` is a list of strings; until then it allows nothing");
            flaws.push(Flaw::error(node.span.clone(), problem, "write `[\"…\"]`, or remove it"));
            Vec::new()
        })),
    }
}

/// Whether the text has this form, in which `*` stands for anything.
#[cfg(feature = "runner")]
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return text.ends_with(rest) };
    for part in middle.split('*') {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(end)
}
