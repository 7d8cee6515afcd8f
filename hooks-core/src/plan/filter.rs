//! Filters of hooks: patterns for one field of the event.

use wildmatch::WildMatch;

use crate::hook::{Binding, Only};
use crate::kind::HookKind;

/// A list of patterns for one field of the event: `fs_*|Bash`.
pub(crate) struct Filter<K> {
    pub(super) field: fn(&K) -> &str,
    pub(super) patterns: Box<[WildMatch]>,
}

impl<K: HookKind> Filter<K> {
    pub(super) fn of(binding: &Binding) -> Box<[Self]> {
        let filter = |only: &Only| {
            let field = K::FIELDS.iter().find(|field| field.name == only.field)?;
            Some(Self { field: field.get, patterns: patterns(&only.patterns) })
        };
        binding.filters.iter().filter_map(filter).collect()
    }

    pub(super) fn matches(&self, event: &K) -> bool {
        let value = (self.field)(event);
        self.patterns.iter().any(|pattern| pattern.matches(value))
    }
}

/// Splits the patterns of a filter.
pub(crate) fn patterns(written: &str) -> Box<[WildMatch]> {
    written.split('|').map(|pattern| WildMatch::new(pattern.trim())).collect()
}
