//! Who may switch off or restrict which rules: the administrator of the machine those of everybody, the user all but
//! those, everybody else their own.

use std::path::Path;
use std::sync::Arc;

use super::source::Source;
use crate::rule::{Action, Rule};
use crate::rule_file::{Locks, RuleFile};
use crate::runner::{Owner, SkipReason};
use crate::syntax::unsupported;

/// The switches and locks that apply to rules of other files too.
#[derive(Default)]
pub(super) struct Policy<'a> {
    /// The files that say `disableAllHooks`: of the administrator, and of the user.
    all_off: [Option<&'a Arc<Path>>; 2],
    managed_only: Option<&'a Arc<Path>>,
    /// A managed file that cannot be read. What it forbids is unknown.
    unknown: Option<&'a Arc<Path>>,
    locks: Vec<(&'a Arc<Path>, &'a Locks)>,
}

impl<'a> Policy<'a> {
    pub(super) fn of(files: &[(&'a Source, &'a RuleFile)]) -> Self {
        let mut policy = Self::default();
        for (source, file) in files {
            let is_managed = matches!(source.owner, Owner::Managed);
            if !is_managed && !matches!(source.owner, Owner::User) {
                continue;
            }
            match &file.locks {
                Some(locks) => policy.locks.push((&file.file, locks)),
                None if is_managed => drop(policy.unknown.get_or_insert(&file.file)),
                None => {}
            }
            if file.disabled {
                policy.all_off[usize::from(!is_managed)].get_or_insert(&file.file);
            }
            if is_managed && file.locks.as_ref().is_some_and(|locks| locks.managed_only) {
                policy.managed_only.get_or_insert(&file.file);
            }
        }
        policy
    }

    /// What switches the rules of a file off.
    pub(super) fn off(&self, source: &Source, file: &RuleFile) -> Option<SkipReason> {
        let is_managed = source.owner.is_managed();
        let [by_administrator, by_user] = self.all_off;
        let own = file.disabled.then_some(&file.file);
        let switch = by_administrator.or(by_user.filter(|_| !is_managed)).or(own);
        if file.waits {
            return Some(SkipReason::Untrusted);
        }
        let off = switch.map(|by| SkipReason::SwitchedOff { by: Arc::clone(by) });
        let foreign = self.managed_only.filter(|_| !is_managed);
        off.or_else(|| Some(SkipReason::NotManaged { by: Arc::clone(foreign?) }))
    }

    /// Why no rule of the source can run, although none of its switches is known.
    pub(super) fn failure(&self, source: &Source) -> Option<String> {
        let unknown = self.unknown.filter(|_| !matches!(source.owner, Owner::Managed))?;
        Some(format!("the managed settings {} cannot be read, and may forbid it", unknown.display()))
    }

    /// Takes away what a rule may not use. Returns why it cannot run at all.
    pub(super) fn restrict(&self, file: &RuleFile, rule: &mut Rule) -> Option<String> {
        let own = file.locks.as_ref().map(|locks| (&file.file, locks));
        let locks = || self.locks.iter().copied().chain(own);
        match &mut rule.action {
            Action::Http(request) => {
                request.allowed_env.retain(|name| locks().all(|(_, locks)| locks.allow_variable(name)));
                let (by, _) = locks().find(|(_, locks)| !locks.allow_url(&request.url))?;
                Some(format!("`allowedHttpHookUrls` in {} does not allow {}", by.display(), request.url))
            }
            Action::Unsupported { kind, .. } => Some(unsupported(kind)),
            _ => None,
        }
    }
}
