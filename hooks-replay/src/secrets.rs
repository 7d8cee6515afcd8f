//! Removes secrets before anything is written.

mod bundled;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

use self::bundled::RuleSet;
use crate::refs;

/// Replaces a secret.
const REDACTED: &str = "[REDACTED_SECRET]";

/// The rules of `secrets_scanner` (MIT), which combines those of gitleaks (MIT) and kingfisher (Apache-2.0).
static BUNDLED: LazyLock<Option<RuleSet>> = LazyLock::new(|| {
    match RuleSet::read(secrets_scanner::rules::BUNDLED_RULES) {
        Ok(rules) => Some(rules),
        Err(error) => {
            tracing::error!(target: "hooks_replay", %error, "the rules for secrets cannot be loaded; every text is removed");
            None
        }
    }
});

/// Rules for secrets that only their context identifies: credentials in headers, in URLs, and in settings. Each keeps
/// the text of its first group.
static BY_PLACE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let rules = [
        r"(?i)(\b(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{16,}",
        r"([a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@",
        r#"(?i)((?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|credential)s?[\\"']*\s*[:=]\s*[\\"']*)[^\s\\"',;]{8,}"#,
        r"(https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/)[A-Za-z0-9_-]+",
        r"(\b\d{8,10}:)AA[A-Za-z0-9_-]{33}",
        r"(\bkey-)[0-9a-f]{32}\b",
    ];
    // A rule that does not compile is a bug in this file, which the tests would find.
    rules.iter().filter_map(|rule| Regex::new(rule).ok()).collect()
});

/// A redaction rule of the app: returns the redacted text, or `None` if there is nothing to redact.
pub type OwnRule = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Removes secrets from texts.
pub(crate) struct Scrubber {
    own: Arc<[OwnRule]>,
    hasher: RandomState,
    /// The hashes of texts without secrets: a conversation is part of many dispatches, and scanning is slow.
    clean: HashSet<u64>,
}

/// The maximum number of hashes.
const KNOWN: usize = 1 << 16;

impl Scrubber {
    pub(crate) fn new(own: Arc<[OwnRule]>) -> Self {
        Self { own, hasher: RandomState::new(), clean: HashSet::new() }
    }

    /// Removes secrets from every text of `value`, including its keys. Returns whether there were any. `key` is the key
    /// of the value.
    pub(crate) fn scrub(&mut self, key: &str, value: &mut Value) -> bool {
        match value {
            Value::String(text) => !refs::is_reference(text) && self.scrub_text(key, text),
            Value::Array(items) => items.iter_mut().fold(false, |any, item| self.scrub(key, item) | any),
            Value::Object(fields) => {
                let (mut any, mut any_key) = (false, false);
                for (key, value) in fields.iter_mut() {
                    any |= self.scrub(key, value);
                    any_key |= self.scrub_text("", &mut key.clone());
                }
                if any_key {
                    let mut named = |mut key: String| {
                        self.scrub_text("", &mut key);
                        key
                    };
                    *fields = std::mem::take(fields).into_iter().map(|(key, value)| (named(key), value)).collect();
                }
                any | any_key
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Removes secrets from one text. Many can only be recognised by their key, as in `"password": "…"`, so the scanner
    /// sees the key too.
    pub(crate) fn scrub_text(&mut self, key: &str, text: &mut String) -> bool {
        // No secret is that short, but most texts of an event are.
        let is_short = text.len() < 8;
        if is_short && self.own.is_empty() {
            return false;
        }
        let hash = self.hasher.hash_one((key, &*text));
        if self.clean.contains(&hash) {
            return false;
        }
        let before = text.clone();
        for rule in &*self.own {
            if let Some(clean) = rule(text) {
                *text = clean;
            }
        }
        if !is_short {
            let named = format!("{key} = \"{text}\"");
            let redacted = redact(&named);
            if redacted == named {
                // Some rules require a certain beginning or end of the text.
                *text = redact(text);
            } else {
                let inner = redacted.strip_prefix(&format!("{key} = \"")).and_then(|rest| rest.strip_suffix('"'));
                inner.unwrap_or(REDACTED).clone_into(text);
            }
        }
        if *text != before {
            return true;
        }
        if self.clean.len() >= KNOWN {
            self.clean.clear();
        }
        self.clean.insert(hash);
        false
    }
}

fn redact(content: &str) -> String {
    let Some(bundled) = &*BUNDLED else { return REDACTED.to_owned() };
    let mut content = content.to_owned();
    for rule in &*BY_PLACE {
        if rule.is_match(&content) {
            let clean = rule.replace_all(&content, |found: &Captures<'_>| {
                let kept = found.get(1).map_or("", |kept| kept.as_str());
                let end = if found[0].ends_with('@') { "@" } else { "" };
                format!("{kept}{REDACTED}{end}")
            });
            content = clean.into_owned();
        }
    }
    for secret in bundled.find(&content).into_iter().rev() {
        content.replace_range(secret, REDACTED);
    }
    content
}
