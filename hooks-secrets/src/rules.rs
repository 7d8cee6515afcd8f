//! The rules of `secrets_scanner` (MIT), which combines those of gitleaks (MIT) and kingfisher (Apache-2.0). Each is
//! compiled when a text first contains one of its keywords. All of them together take 700 MB and seconds; the texts of a
//! program contain the keywords of a few.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use secrets_scanner::{ScanConfig, Scanner};
use toml::{Table, Value};

use crate::names::is_opaque;

static BUNDLED: LazyLock<Option<RuleSet>> = LazyLock::new(|| {
    let failed = |error| tracing::error!(target: "hooks_secrets", %error, "the rules for secrets cannot be loaded; every text is removed");
    RuleSet::read(secrets_scanner::rules::BUNDLED_RULES).map_err(failed).ok()
});

/// The secrets in `text`. All of it if the rules cannot be loaded.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let all = || std::iter::once(0..text.len()).collect();
    BUNDLED.as_ref().map_or_else(all, |rules| rules.find(text))
}

/// A set of rules in the format of gitleaks.
struct RuleSet {
    /// The set without its rules.
    base: Table,
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// The rules of each keyword.
    of_keyword: Vec<Vec<usize>>,
    /// The rules without keywords, which apply to every text.
    always: Vec<usize>,
}

struct Rule {
    entry: Value,
    scanner: OnceLock<Option<Scanner>>,
}

/// The rules for any value after a name such as `key`. They also match two neighbours in a list, and what they find may
/// begin with the name.
const GENERIC: [&str; 3] = ["generic-api-key", "xai-api-key", "clipdrop-api-key"];

/// Rules whose groups are no secrets, and which [`places`](crate::places) and forms have, too.
const OWN: [&str; 3] = ["curl-auth-header", "curl-auth-user", "microsoft-teams-webhook"];

/// The end of many rules, of which the text has only the backslash, and what takes its place in those for the form of a
/// vendor, because `(hf_…)`, `hf_…,` and `\"hf_…\"` are texts, too.
const END: [&str; 3] = [r#"(?:[\x60'"\s;]|\\[nr]|$)"#, r#"(?:[\x60'"\s;\\]|$)"#, "(?:[^A-Za-z0-9_+/=-]|$)"];

impl RuleSet {
    /// Reads the rules, without compiling them.
    ///
    /// # Errors
    /// What is wrong with the set.
    fn read(text: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let mut base: Table = text.parse()?;
        let Some(Value::Array(mut entries)) = base.remove("rules") else { return Err("it has no rules".into()) };
        // The texts that are searched have no paths.
        entries.retain(|entry| entry.get("regex").is_some() && !is_one_of(&OWN, entry));
        if let Some(Value::Table(allowlist)) = base.get_mut("allowlist") {
            allowlist.remove("paths");
        }
        let (mut of_keyword, mut always) = (BTreeMap::<String, Vec<usize>>::new(), Vec::new());
        for (rule, entry) in entries.iter_mut().filter_map(Value::as_table_mut).enumerate() {
            if let Some(Value::String(regex)) = entry.get_mut("regex") {
                // The value behind a name may be a call.
                let end = if regex.contains("{0,50}?") { END[1] } else { END[2] };
                // Classes and boundaries of ASCII: with those of Unicode, a rule needs so many states that most of the time
                // goes into the slowest of the engines of `regex`.
                *regex = format!("(?-u){}", regex.replace(END[0], end));
                // The secret is a group, if there is one.
                if regex.replace("(?", "").replace(r"\(", "").contains('(') {
                    entry.entry("secretGroup").or_insert(Value::Integer(1));
                }
            }
            let keywords = entry.get("keywords").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            if keywords.is_empty() {
                always.push(rule);
            }
            for word in keywords.iter().filter_map(Value::as_str) {
                of_keyword.entry(word.to_lowercase()).or_default().push(rule);
            }
        }
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(of_keyword.keys())?;
        let rules = entries.into_iter().map(|entry| Rule { entry, scanner: OnceLock::new() }).collect();
        Ok(Self { base, rules, keywords, of_keyword: of_keyword.into_values().collect(), always })
    }

    /// The places of secrets in `text`.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.keywords.find_overlapping_iter(text).map(|found| found.pattern().as_usize());
        let mut candidates: Vec<usize> = found.flat_map(|keyword| self.of_keyword[keyword].iter().copied()).collect();
        candidates.extend(&self.always);
        candidates.sort_unstable();
        candidates.dedup();
        let candidates = candidates.into_iter().map(|rule| &self.rules[rule]);
        candidates.flat_map(|rule| self.found_by(rule, text)).collect()
    }

    fn found_by(&self, rule: &Rule, text: &str) -> Vec<Range<usize>> {
        let found = self.scanner(rule).map(|scanner| scanner.scan_content("", text)).unwrap_or_default();
        let secrets =
            found.iter().map(|found| whole_characters(text, found.secret_start_offset..found.secret_end_offset));
        let is_generic = is_one_of(&GENERIC, &rule.entry);
        let secrets = secrets.filter_map(|secret| if is_generic { value_of(text, secret) } else { Some(secret) });
        secrets.filter(|secret| !secret.is_empty()).collect()
    }

    /// The scanner of a rule, compiled at its first use. `None` if it cannot be compiled.
    fn scanner<'a>(&self, rule: &'a Rule) -> Option<&'a Scanner> {
        let compile = || -> Result<Scanner, Box<dyn std::error::Error>> {
            let mut alone = self.base.clone();
            alone.insert("rules".to_owned(), Value::Array(vec![rule.entry.clone()]));
            let config = ScanConfig {
                max_findings_per_file: None,
                honor_allow_markers: false,
                capture_context: false,
                ..ScanConfig::default()
            };
            Ok(Scanner::from_toml(&toml::to_string(&alone)?)?.with_config(config))
        };
        let logged = |error| tracing::error!(target: "hooks_secrets", %error, "a rule for secrets cannot be compiled");
        rule.scanner.get_or_init(|| compile().map_err(logged).ok()).as_ref()
    }
}

fn is_one_of(known: &[&str], rule: &Value) -> bool {
    rule.get("id").and_then(Value::as_str).is_some_and(|id| known.contains(&id))
}

/// The value in what the generic rule matched, if it looks like a key and is no neighbour in a list.
fn value_of(text: &str, matched: Range<usize>) -> Option<Range<usize>> {
    let is_quote = |c: char| c.is_whitespace() || "\"'`;\\".contains(c);
    let found = text[matched.clone()].trim_end_matches(is_quote);
    let start = found.trim_end_matches('=').rfind(|c: char| is_quote(c) || "=:>,|".contains(c)).map_or(0, |at| at + 1);
    let value = matched.start + start..matched.start + found.len();
    let is_neighbour = text[..value.start].trim_end_matches(is_quote).ends_with(',');
    (is_opaque(&text[value.clone()]) && !is_neighbour).then_some(value)
}

/// `bytes`, extended to whole characters, because the rules match bytes.
fn whole_characters(text: &str, bytes: Range<usize>) -> Range<usize> {
    let start = (0..=bytes.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let end = (bytes.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        let set = RuleSet::read(secrets_scanner::rules::BUNDLED_RULES).unwrap();
        assert!(set.rules.len() > 900, "{}", set.rules.len());
        let broken: Vec<_> =
            set.rules.iter().filter(|rule| set.scanner(rule).is_none()).map(|rule| &rule.entry).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn the_generic_rule_finds_values_and_no_neighbours_in_a_list() {
        let set = RuleSet::read(secrets_scanner::rules::BUNDLED_RULES).unwrap();
        for (text, secret) in [
            ("depot_key = \"Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6K\"", Some("Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6K")),
            (" \"allocator-api2\",\n \"equivalent\",\n \"foldhash\",\n", None),
            ("xai `response.reasoning_summary_text.done` events", None),
            ("xai Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6K", Some("Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6K")),
            ("json!({ \"properties\": keys, \"maxProperties\": 1 })", None),
            ("curl -s --user \"a:b\" -H \"Authorization: Bearer XXXXXXXXXXXX\" https://x.org", None),
            ("{\"secret_key\" => \"sk_Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw\"}", Some("sk_Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw")),
        ] {
            let found: Vec<_> = set.find(text).into_iter().map(|secret| &text[secret]).collect();
            assert_eq!(found, Vec::from_iter(secret), "{text}");
        }
    }

    #[test]
    fn rules_that_are_compiled_one_by_one_find_the_same_as_all_together() {
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
