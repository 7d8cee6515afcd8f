use std::sync::atomic::{AtomicBool, Ordering};

use super::owner::Owner;
use crate::event::Event;
use crate::rule::{Action, FailureMode, Rule};

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

    /// Whether something may be refused because of it.
    pub(crate) fn guards(&self) -> bool {
        let rule = &self.rule;
        let may_refuse = rule.event == Event::PreToolUse || rule.on_failure == FailureMode::Block;
        // A compiled hook runs whatever becomes of who names it.
        matches!(rule.action, Action::Compiled { .. }) || (may_refuse && !rule.detached)
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
