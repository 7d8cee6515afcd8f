use std::sync::atomic::{AtomicBool, Ordering};

use super::owner::Owner;
use crate::event::Event;
use crate::rule::{Action, FailureMode, Rule};

/// A rule in use, with its owner.
#[derive(Debug)]
pub(crate) struct ActiveRule {
    pub(crate) rule: Rule,
    pub(crate) owner: Owner,
    /// Why it cannot run. It then denies.
    pub(crate) failure: Option<String>,
    /// Whether it has the field `once` and has already succeeded.
    spent: AtomicBool,
}

impl ActiveRule {
    /// `spent` carries the state of a `once` rule over when its file is reloaded.
    pub(crate) fn new(rule: Rule, owner: Owner, spent: bool) -> Self {
        Self { rule, owner, failure: None, spent: AtomicBool::new(spent) }
    }

    /// Whether the rule may deny something.
    pub(crate) fn guards(&self) -> bool {
        let rule = &self.rule;
        let may_refuse = rule.event == Event::PreToolUse || rule.on_failure == FailureMode::Block;
        // A compiled hook runs regardless of the rule that names it.
        matches!(rule.action, Action::Compiled { .. }) || (may_refuse && !rule.detached)
    }

    /// Whether its failure denies.
    pub(crate) fn fails_closed(&self) -> bool {
        self.rule.on_failure == FailureMode::Block && !self.rule.detached
    }

    /// Whether a `once` rule has run.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Records a success. Only rules of skills can use `once`.
    pub(crate) fn succeeded(&self) {
        if self.rule.once && matches!(self.owner, Owner::Skill(_)) {
            self.spent.store(true, Ordering::Relaxed);
        }
    }
}
