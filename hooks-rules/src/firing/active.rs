use std::sync::atomic::{AtomicBool, Ordering};

use super::owner::Owner;
use crate::rule::Rule;

/// A rule that may run, with whose it is.
#[derive(Debug)]
pub(crate) struct ActiveRule {
    pub(crate) rule: Rule,
    pub(crate) owner: Owner,
    /// Whether it was to run once, and has.
    spent: AtomicBool,
}

impl ActiveRule {
    /// `spent` says whether it was to run once, and has, before its file was read again.
    pub(crate) fn new(rule: Rule, owner: Owner, spent: bool) -> Self {
        Self { rule, owner, spent: AtomicBool::new(spent) }
    }

    /// Whether it runs no more.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Notes a success. Only the rules of skills may say that one is enough.
    pub(crate) fn succeeded(&self) {
        if self.rule.once && matches!(self.owner, Owner::Skill(_)) {
            self.spent.store(true, Ordering::Relaxed);
        }
    }
}
