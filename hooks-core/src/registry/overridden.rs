//! Applies the operator's overrides to registered hooks.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Registry, Snapshot};
use crate::diagnostics::{ConfigError, Problem};
use crate::hook::Hook;
use crate::id::HookId;
use crate::overrides::{Changes, Overrides};

impl Registry {
    /// Sets the operator's layers of overrides, for sets made from now on. Layers are merged field by field, and the
    /// last one that sets a field wins. Replaces the previous layers.
    ///
    /// # Errors
    /// All problems of all layers, with their positions: parse errors, unknown ids, options that a hook does not offer,
    /// and `locked` hooks. In that case nothing changes.
    pub fn set_overrides(&self, layers: impl IntoIterator<Item = Overrides>) -> Result<(), ConfigError> {
        self.override_with(HashMap::new(), layers)
    }

    /// Adds layers on top of those that were set before.
    ///
    /// # Errors
    /// The same as those of [`set_overrides`](Self::set_overrides).
    pub fn add_overrides(&self, layers: impl IntoIterator<Item = Overrides>) -> Result<(), ConfigError> {
        self.override_with(HashMap::clone(&self.snapshot().overrides), layers)
    }

    fn override_with(
        &self,
        mut changes: HashMap<HookId, Changes>,
        layers: impl IntoIterator<Item = Overrides>,
    ) -> Result<(), ConfigError> {
        // Collected before locking: the iterator is caller code and may use this registry.
        let layers: Vec<Overrides> = layers.into_iter().collect();
        let problems = self.edit(|snapshot| {
            let hooks = snapshot.hooks.iter().map(|(id, hook)| (id, &**hook)).collect();
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
    /// The hook with its overrides applied, and a description of the changes.
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

    /// The problems of existing overrides, if this hook replaced another one.
    pub(super) fn overrides_of(&self, hook: &Hook) -> Vec<Problem> {
        self.overrides.get(&hook.id).map(|changes| changes.check(hook)).unwrap_or_default()
    }

    /// Why the guards of a plugin fail closed; `None` if they do not.
    pub(crate) fn closed(&self, plugin: &str) -> Option<String> {
        self.installed(plugin)?.state.closed(plugin)
    }

    fn changes_of(&self, hook: &Hook) -> Option<&Changes> {
        // Overrides of a locked hook were rejected, and they must not apply to a locked hook that was registered later
        // either.
        self.overrides.get(&hook.id).filter(|_| !hook.locked)
    }
}
