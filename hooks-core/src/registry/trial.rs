//! A registry for trying hooks in isolation.

use std::collections::BTreeMap;

use super::set_builder::Part;
use super::{Registry, Snapshot, resolve};
use crate::diagnostics::ConfigError;
use crate::hook::Hook;
use crate::id::HookId;
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
            let mut plugins: BTreeMap<HookId, Vec<_>> = BTreeMap::new();
            for hook in snapshot.hooks.values() {
                if let Some(plugin) = &hook.plugin {
                    plugins.entry(plugin.clone()).or_default().push(hook.id.clone());
                }
            }
            let wanted = constraints(snapshot);
            let is_wanted = |hook: &Hook| wanted.iter().any(|id| id == hook.id.as_str());
            let mut linked: Vec<Hook> = Hook::linked().into_iter().filter(is_wanted).collect();
            linked.sort_by(|a, b| (&a.id, a.origin).cmp(&(&b.id, b.origin)));
            for hook in &linked {
                // Duplicate ids are reported by `discover`; here the first hook is used.
                let _ = snapshot.add_linked(hook);
            }
            snapshot.members.clear();
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
    let options = bindings.map(|binding| &binding.options);
    let ids = options.flat_map(|options| options.after.iter().chain(&*options.before).chain(&*options.requires));
    ids.filter(|id| !snapshot.hooks.contains_key(&***id)).map(ToString::to_string).collect()
}
