use std::collections::BTreeMap;

use serde_json::Value;

use super::{MergedEntries, report};
use crate::verdict::{Contribution, Contributions, Diagnostic};

/// The effective value for a domain and a key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyEntry<'a> {
    /// The area that the value belongs to.
    pub domain: &'a str,
    /// The name within the domain.
    pub key: &'a str,
    /// The value.
    pub value: &'a Value,
    /// The priority. Higher numbers win.
    pub priority: i32,
    /// The diagnostics of the hooks that set this value.
    pub diagnostics: Vec<Diagnostic>,
}

impl Contributions {
    /// The policies, sorted by domain and key.
    ///
    /// The highest priority wins. Among several with that priority, the first in plan order wins. If another one has
    /// the same value, the diagnostics of both are kept; if it has a different value, `policy.merge.conflict` reports
    /// it without any value.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    ///
    /// let all = Contributions::from(vec![
    ///     Contribution::policy("model", "profile", "fast", 0),
    ///     Contribution::policy("model", "profile", "careful", 10),
    /// ]);
    /// assert_eq!(all.policies().value("model", "profile").unwrap(), "careful");
    /// ```
    pub fn policies(&self) -> MergedEntries<PolicyEntry<'_>> {
        // Each entry, and whether there is another value with its priority.
        let mut held: BTreeMap<(&str, &str), (PolicyEntry<'_>, bool)> = BTreeMap::new();
        for one in self.iter() {
            let Contribution::Policy { domain, key, value, priority, diagnostics } = one else { continue };
            let fresh = PolicyEntry { domain, key, value, priority: *priority, diagnostics: Vec::new() };
            let (entry, conflict) = held.entry((domain, key)).or_insert_with(|| (fresh.clone(), false));
            if *priority > entry.priority {
                (*entry, *conflict) = (fresh, false);
            }
            if *priority == entry.priority {
                if value == entry.value {
                    for diagnostic in diagnostics {
                        report(&mut entry.diagnostics, diagnostic.clone());
                    }
                } else {
                    *conflict = true;
                }
            }
        }
        let conflicts = held.values().filter(|(_, conflict)| *conflict).map(|(entry, _)| {
            let PolicyEntry { domain, key, priority, .. } = entry;
            let text = format!(
                "several hooks set `{domain}.{key}` to different values with priority {priority}; the first one wins; give one of them a higher priority"
            );
            Diagnostic::new("policy.merge.conflict", text)
        });
        let diagnostics = conflicts.collect();
        MergedEntries { entries: held.into_values().map(|(entry, _)| entry).collect(), diagnostics }
    }
}

impl MergedEntries<PolicyEntry<'_>> {
    /// The effective value for `domain` and `key`.
    pub fn value(&self, domain: &str, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.domain == domain && entry.key == key).map(|entry| entry.value)
    }
}
