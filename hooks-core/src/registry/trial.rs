//! A registry for trying hooks in isolation.

use std::sync::Arc;

use super::set_builder::Part;
use super::{Registry, Snapshot, resolve};
use crate::diagnostics::ConfigError;
use crate::hook::Hook;
use crate::plan::HookSet;
use crate::plugin::{Installed, Plugin, PluginState};
use crate::scope::AgentDef;
use crate::source::Origin;

impl Registry {
    /// Makes the set of a trial, which runs all hooks of the app's list at all their kinds: `init` too, when it is
    /// fired. Their plugins count as started, and other hooks of these plugins do not join in. Hooks in `after`,
    /// `before` and `requires` are added if they are linked, because their absence is not an error in a trial.
    pub(crate) fn trial_scope(&self) -> Result<HookSet, ConfigError> {
        self.edit(|snapshot| {
            let plugins: Vec<_> = snapshot
                .members()
                .into_iter()
                .map(|(plugin, hooks)| (plugin.clone(), hooks.into_iter().cloned().collect()))
                .collect();
            let wanted = constraints(snapshot);
            let is_wanted = |hook: &Hook| wanted.iter().any(|id| id == hook.id.as_str());
            for hook in Hook::linked().into_iter().filter(is_wanted) {
                // Duplicate ids are reported by `discover`; here the first hook is used.
                let _ = snapshot.add(&Arc::new(Hook { plugin: None, ..hook }));
            }
            let installed = plugins.into_iter().map(|(name, made)| Installed {
                plugin: Plugin::new(name.as_str()),
                made,
                origin: Origin::new("", 0, ""),
                state: PluginState::Started,
            });
            snapshot.plugins = installed.collect();
        });
        resolve::resolve(&self.snapshot(), &AgentDef::new("trial"), None, Part::All)
    }
}

/// The ids in `after`, `before` and `requires` that no hook here has.
fn constraints(snapshot: &Snapshot) -> Vec<String> {
    let bindings = snapshot.hooks.values().flat_map(|hook| &*hook.bindings);
    let ids = bindings.flat_map(|binding| binding.options.constraints()).flat_map(|(_, ids)| ids.iter());
    ids.filter(|id| !snapshot.hooks.contains_key(&***id)).map(ToString::to_string).collect()
}
