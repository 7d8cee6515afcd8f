//! What the operator's overrides make of the hooks that are there.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Registry, Snapshot};
use crate::diagnostics::{ConfigError, Problem};
use crate::hook::Hook;
use crate::id::HookId;
use crate::overrides::{Changes, Overrides};

impl Registry {
    /// Says what the operator's layers change, in sets made from now on. Layers hold field by field, and the last one that
    /// says something of a field wins; what was set before is forgotten.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, at once and with its place: what could not be read, ids that no hook has,
    /// options that a hook does not offer, hooks that are `locked`. Nothing is changed then.
    pub fn set_overrides(&self, layers: impl IntoIterator<Item = Overrides>) -> Result<(), ConfigError> {
        self.override_with(HashMap::new(), layers)
    }

    /// Says what further layers change, which hold over those that were set before.
    ///
    /// # Errors
    /// As [`set_overrides`](Self::set_overrides).
    pub fn add_overrides(&self, layers: impl IntoIterator<Item = Overrides>) -> Result<(), ConfigError> {
        self.override_with(HashMap::clone(&self.snapshot().overrides), layers)
    }

    fn override_with(
        &self,
        mut changes: HashMap<HookId, Changes>,
        layers: impl IntoIterator<Item = Overrides>,
    ) -> Result<(), ConfigError> {
        // Before the lock: an iterator is code of the caller, which may use this registry.
        let layers: Vec<Overrides> = layers.into_iter().collect();
        let problems = self.edit(|snapshot| {
            let hooks = snapshot.hooks.iter().map(|(id, registered)| (id, &*registered.hook)).collect();
            let problems: Vec<Problem> = layers.iter().flat_map(|layer| layer.check(&hooks)).collect();
            if problems.is_empty() {
                for layer in &layers {
                    layer.add_to(&mut changes);
                }
                snapshot.overrides = Arc::new(changes);
            }
            problems
        });
        ConfigError::unless_empty(problems)
    }
}

impl Snapshot {
    /// The hook as it is to run, and what was changed.
    pub(crate) fn overridden(&self, hook: &Arc<Hook>) -> (Arc<Hook>, Option<String>) {
        match self.changes_of(hook) {
            Some(changes) if changes.moves() => {
                let description = changes.describe(hook);
                (Arc::new(changes.apply(Hook::clone(hook))), Some(description))
            }
            _ => (Arc::clone(hook), None),
        }
    }

    /// The layer that disables the hook.
    pub(crate) fn disabled_by(&self, hook: &Hook) -> Option<Arc<str>> {
        self.changes_of(hook)?.disabled_by()
    }

    /// What is wrong with present overrides where this hook stands in the place of another.
    pub(super) fn overrides_of(&self, hook: &Hook) -> Vec<Problem> {
        self.overrides.get(&hook.id).map(|changes| changes.check(hook)).unwrap_or_default()
    }

    /// Why the guards of a plugin refuse, where they do.
    pub(crate) fn closed(&self, plugin: &str) -> Option<String> {
        self.installed(plugin)?.state.closed(plugin)
    }

    fn changes_of(&self, hook: &Hook) -> Option<&Changes> {
        // One that is locked was refused; one that came later with that id is not to be changed either.
        self.overrides.get(&hook.id).filter(|_| !hook.locked)
    }
}
