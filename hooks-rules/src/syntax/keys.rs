//! Detects keys that are misspelled or misplaced.

use super::defect::{Flaw, Flaws};
use super::json::Entry;

/// The keys of a file, of a group and of a handler.
pub(crate) const OF_FILE: &[&str] =
    &["hooks", "disableAllHooks", "allowManagedHooksOnly", "allowedHttpHookUrls", "httpHookAllowedEnvVars"];
pub(crate) const OF_GROUP: &[&str] = &["matcher", "hooks"];
pub(crate) const OF_HANDLER: &[&str] = &[
    "type",
    "if",
    "timeout",
    "statusMessage",
    "once",
    "command",
    "args",
    "shell",
    "async",
    "asyncRewake",
    "onFailure",
    "url",
    "headers",
    "allowedEnvVars",
    "prompt",
    "model",
    "continueOnBlock",
    "id",
    "with",
    "matcher",
];

/// Keys of other programs that are similar to known ones.
const OTHERS: &[&str] = &["env", "name", "hint", "urls", "theme"];

/// Warns about keys that were probably meant to be one of `known`. Other keys are ignored. `without` describes the
/// consequence of a missing key.
pub(crate) fn warn(entries: &[Entry], known: &[&str], flaws: &mut Flaws, without: impl Fn(&str) -> &'static str) {
    for entry in entries {
        let key = entry.key.as_str();
        if known.contains(&key) || OTHERS.contains(&key) || flaws.enough_warnings() {
            continue;
        }
        // A missing required key is reported when it is read.
        let is_needed = |key: &str| matches!(key, "type" | "command" | "url" | "prompt" | "id");
        let is_there = |key: &str| entries.iter().any(|entry| entry.key == key);
        let Some(meant) = meant(key, known).filter(|meant| !is_there(meant) && !is_needed(meant)) else { continue };
        let problem = format!("`{key}` has no meaning here{}", without(meant));
        flaws.push(Flaw::warning(entry.key_span.clone(), problem, format!("write `{meant}`")));
    }
}

/// The key that was probably meant.
fn meant<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    if key.len() > 40 {
        return None;
    }
    let plain = |key: &str| key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let (word, near) = (plain(key), |known: &str| if known.len() < 5 { 1 } else { 2 });
    known.iter().copied().find(|known| {
        let known_word = plain(known);
        // Short words are similar to many others, so they may differ only in case or by a plural.
        let is_close = word.len() > 3 && strsim::osa_distance(&known_word, &word) <= near(known);
        known_word == word || (is_close && !word.is_empty())
    })
}
