//! Secrets are removed before the first byte is written.

use std::sync::LazyLock;

use secrets_scanner::Scanner;
use serde_json::{Map, Value};

/// What stands in the place of a secret.
const REDACTED: &str = "[REDACTED_SECRET]";

/// The rules of `secrets_scanner` (MIT), which joins those of gitleaks (MIT) and kingfisher (Apache-2.0). Compiled once.
static SCANNER: LazyLock<Option<Scanner>> = LazyLock::new(|| match Scanner::from_bundled() {
    Ok(scanner) => Some(scanner),
    Err(error) => {
        tracing::error!(target: "hooks_replay", %error, "the rules for secrets cannot be read; every text is removed");
        None
    }
});

/// A rule of the app's own for what is not written: the text without what must not be written, or `None` where it holds nothing of that kind.
pub type OwnRule = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Removes secrets from every text of `value`, keys included. Returns whether there were any.
pub(crate) fn scrub(value: &mut Value, own: &[OwnRule]) -> bool {
    scrub_at("", value, own)
}

fn scrub_at(key: &str, value: &mut Value, own: &[OwnRule]) -> bool {
    match value {
        Value::String(text) => scrub_text(key, text, own),
        Value::Array(items) => items.iter_mut().fold(false, |any, item| scrub_at(key, item, own) | any),
        Value::Object(fields) => {
            let mut any = false;
            let mut scrubbed = Map::with_capacity(fields.len());
            for (mut key, mut value) in std::mem::take(fields) {
                any |= scrub_at(&key, &mut value, own);
                any |= scrub_text("", &mut key, own);
                scrubbed.insert(key, value);
            }
            *fields = scrubbed;
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Removes secrets from one text. Many are known by the name before them only, as in `"password": "…"`, so the scanner sees
/// the key too.
pub(crate) fn scrub_text(key: &str, text: &mut String, own: &[OwnRule]) -> bool {
    let before = text.clone();
    for rule in own {
        if let Some(clean) = rule(text) {
            *text = clean;
        }
    }
    let Some(scanner) = &*SCANNER else {
        REDACTED.clone_into(text);
        return true;
    };
    // Shorter than any secret, and most texts of an event are.
    if text.len() >= 8 {
        let named = format!("{key} = \"{text}\"");
        for (content, prefix, suffix) in [(&named, key.len() + 4, 1), (&text.clone(), 0, 0)] {
            let output = scanner.scan_and_redact_content("", content);
            if output.findings.is_empty() {
                continue;
            }
            let start = &content[..prefix];
            let inner =
                output.redacted.strip_prefix(start).and_then(|rest| rest.get(..rest.len().checked_sub(suffix)?));
            *text = inner.map_or_else(|| REDACTED.to_owned(), str::to_owned);
            break;
        }
    }
    *text != before
}
