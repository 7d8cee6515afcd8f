//! The rules of `secrets_scanner`, each compiled when a text first contains one of its keywords. All of them together take
//! 700 MB and seconds; the texts of a program contain the keywords of a few.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use secrets_scanner::{ScanConfig, Scanner};
use toml::{Table, Value};

/// A set of rules in the format of gitleaks.
pub(super) struct RuleSet {
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// The rules of each keyword.
    of_keyword: Vec<Vec<usize>>,
    /// The rules without keywords, which every text is held against.
    always: Vec<usize>,
}

struct Rule {
    /// A set with this rule alone.
    text: String,
    scanner: OnceLock<Option<Scanner>>,
}

impl RuleSet {
    /// Reads the rules and compiles none of them.
    ///
    /// # Errors
    /// What is wrong with the set.
    pub(super) fn read(text: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let mut set: Table = text.parse()?;
        let Some(Value::Array(entries)) = set.remove("rules") else { return Err("it has no rules".into()) };
        // Nothing here has a path.
        if let Some(Value::Table(allowlist)) = set.get_mut("allowlist") {
            allowlist.remove("paths");
        }
        let (mut rules, mut words) = (Vec::new(), Vec::<String>::new());
        let (mut of_keyword, mut always) = (Vec::<Vec<usize>>::new(), Vec::new());
        for entry in entries {
            let keywords = entry.get("keywords").and_then(Value::as_array).cloned().unwrap_or_default();
            if keywords.is_empty() {
                always.push(rules.len());
            }
            for word in keywords.iter().filter_map(Value::as_str).map(str::to_lowercase) {
                let at = words.iter().position(|known| *known == word).unwrap_or_else(|| {
                    words.push(word);
                    of_keyword.push(Vec::new());
                    words.len() - 1
                });
                of_keyword[at].push(rules.len());
            }
            let mut alone = set.clone();
            alone.insert("rules".to_owned(), Value::Array(vec![entry]));
            rules.push(Rule { text: toml::to_string(&alone)?, scanner: OnceLock::new() });
        }
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(&words)?;
        Ok(Self { rules, keywords, of_keyword, always })
    }

    /// Where secrets are in `text`, in order and apart from each other.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.keywords.find_overlapping_iter(text).map(|found| found.pattern().as_usize());
        let mut candidates: Vec<usize> = found.flat_map(|keyword| self.of_keyword[keyword].iter().copied()).collect();
        candidates.extend(&self.always);
        candidates.sort_unstable();
        candidates.dedup();
        let scanners = candidates.into_iter().filter_map(|rule| self.rules[rule].scanner());
        let mut secrets: Vec<Range<usize>> = scanners
            .flat_map(|scanner| scanner.scan_content("", text))
            .map(|found| whole_characters(text, found.secret_start_offset..found.secret_end_offset))
            .filter(|secret| !secret.is_empty())
            .collect();
        secrets.sort_by_key(|secret| secret.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(secrets.len());
        for secret in secrets {
            match merged.last_mut() {
                Some(last) if secret.start <= last.end => last.end = last.end.max(secret.end),
                _ => merged.push(secret),
            }
        }
        merged
    }
}

/// `bytes` and what else belongs to its first and its last character: the rules see bytes.
fn whole_characters(text: &str, bytes: Range<usize>) -> Range<usize> {
    let start = (0..=bytes.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let end = (bytes.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}

impl Rule {
    fn scanner(&self) -> Option<&Scanner> {
        let compiled = self.scanner.get_or_init(|| match Scanner::from_toml(&self.text) {
            Ok(scanner) => {
                let config = ScanConfig { max_findings_per_file: None, ..ScanConfig::default() };
                Some(scanner.with_config(config))
            }
            Err(error) => {
                tracing::error!(target: "hooks_replay", %error, "a rule for secrets cannot be compiled");
                None
            }
        });
        compiled.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        let set = RuleSet::read(secrets_scanner::rules::BUNDLED_RULES).unwrap();
        assert!(set.rules.len() > 900, "{}", set.rules.len());
        let broken: Vec<_> = set.rules.iter().filter(|rule| rule.scanner().is_none()).map(|rule| &rule.text).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    /// What the rules find one by one is what they find together.
    #[test]
    fn rules_apart_find_what_they_find_together() {
        let set = RuleSet::read(secrets_scanner::rules::BUNDLED_RULES).unwrap();
        let together = Scanner::from_bundled().unwrap();
        for text in [
            "GITHUB_TOKEN=ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh1234 and the rest",
            "nothing to see, a token and a key and an api and a secret",
            "é AKIAIOSFODNN7EXAMPLQ é and xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx é",
            "postgres://me:hunter2hunter2@db.neon.tech/x sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
        ] {
            let mut redacted = text.to_owned();
            for secret in set.find(text).into_iter().rev() {
                redacted.replace_range(secret, "[REDACTED_SECRET]");
            }
            assert_eq!(redacted, together.scan_and_redact_content("", text).redacted);
        }
    }
}
