//! Removes secrets before anything is written.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hooks_secrets::{redact_json_with, redact_named};
use serde_json::Value;

use crate::refs;

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
        let mut clean = |key: &str, text: &mut String| !refs::is_reference(text) && self.scrub_text(key, text);
        redact_json_with(key, value, &mut clean) | self.scrub_keys(value)
    }

    fn scrub_keys(&mut self, value: &mut Value) -> bool {
        match value {
            Value::Array(items) => items.iter_mut().fold(false, |any, item| self.scrub_keys(item) | any),
            Value::Object(fields) => {
                let any = fields.values_mut().fold(false, |any, value| self.scrub_keys(value) | any);
                let any_key = fields.keys().fold(false, |any, key| self.scrub_text("", &mut key.clone()) | any);
                if any_key {
                    let mut named = |mut key: String| {
                        self.scrub_text("", &mut key);
                        key
                    };
                    *fields = std::mem::take(fields).into_iter().map(|(key, value)| (named(key), value)).collect();
                }
                any | any_key
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// Applies the rules of the app. Returns whether they changed the text.
    pub(crate) fn apply_own(&self, text: &mut String) -> bool {
        self.own.iter().fold(false, |any, rule| match rule(text) {
            Some(clean) => {
                let changed = clean != *text;
                *text = clean;
                any | changed
            }
            None => any,
        })
    }

    /// Removes secrets from one text. Many can only be recognised by their key, as in `"password": "…"`.
    pub(crate) fn scrub_text(&mut self, key: &str, text: &mut String) -> bool {
        // No secret without a name is that short, but most texts of an event are.
        let is_short = text.len() < 6 && !hooks_secrets::is_secret_name(key);
        if is_short && self.own.is_empty() {
            return false;
        }
        let hash = self.hasher.hash_one((key, &*text));
        if self.clean.contains(&hash) {
            return false;
        }
        let mut any = self.apply_own(text);
        if !is_short && let Some(clean) = redact_named(key, text) {
            any |= clean != *text;
            *text = clean;
        }
        if any {
            return true;
        }
        if self.clean.len() >= KNOWN {
            self.clean.clear();
        }
        self.clean.insert(hash);
        false
    }
}
