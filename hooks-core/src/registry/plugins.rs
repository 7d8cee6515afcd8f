//! Installs, starts, stops and reloads plugins.

use std::panic::Location;
use std::sync::Arc;

use super::snapshot::duplicate_id;
use super::{Registry, Snapshot, check, resolve};
use crate::context::HookContext;
use crate::diagnostics::{ConfigError, Finding, FindingKind, Problem, ProblemKind};
use crate::hook::Hook;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::kinds::{Init, Shutdown, ShutdownReason};
use crate::plugin::{Installed, Plugin, PluginEntry, PluginFailure, PluginState, PluginsFailed};
use crate::source::Origin;
use crate::text::nearest_names;

impl Registry {
    /// Installs a plugin. Its hooks are in force in all sets made from now on, after the app's list and the plugins
    /// installed before. Pass the name of a linked plugin, or a [`Plugin`] with its configuration or with hooks built
    /// as values.
    ///
    /// # Errors
    /// All problems at once: an unknown or already installed plugin, hook values for a linked plugin's name, and
    /// invalid hooks.
    #[track_caller]
    pub fn install(&self, plugin: impl Into<Plugin>) -> Result<(), ConfigError> {
        let caller = Location::caller();
        let origin = Origin::new(caller.file(), caller.line(), "");
        let mut plugin: Plugin = plugin.into();
        let hooks: Vec<Arc<Hook>> = std::mem::take(&mut plugin.hooks)
            .into_iter()
            .map(|hook| Arc::new(Hook { plugin: Some(HookId::new(&plugin.name)), ..hook }))
            .collect();
        let problems = self.edit(|snapshot| snapshot.install(plugin, &hooks, origin));
        ConfigError::unless_empty(problems)
    }

    /// The names of the installed plugins, in order of installation.
    pub fn plugins(&self) -> Vec<Arc<str>> {
        self.snapshot().plugins.iter().map(|installed| Arc::clone(&installed.plugin.name)).collect()
    }

    /// Fires `init` for each plugin that was not started yet, in order of installation: only for its own hooks, with
    /// its configuration and data directory. Each plugin is started once, even if this is called concurrently.
    ///
    /// # Errors
    /// [`PluginsFailed`] with the plugins whose `init` failed; [`audit`](Self::audit) reports them too. In sets made
    /// from now on, their guards (gates, and hooks with `on_failure` `remove` or `required`) fail wherever they would
    /// run, and their other hooks do not run. All other plugins are unaffected. To retry, install a failed plugin
    /// again.
    pub async fn start_plugins(&self, cx: &HookContext) -> Result<(), PluginsFailed> {
        let mut failures = Vec::new();
        for name in self.plugins() {
            failures.extend(self.start(&name, cx).await.err());
        }
        PluginsFailed::unless_empty(failures)
    }

    async fn start(&self, name: &str, cx: &HookContext) -> Result<(), PluginFailure> {
        let claimed = self.edit(|snapshot| {
            let installed = snapshot.installed_mut(name)?;
            let before = installed.state.clone();
            installed.state = match before {
                PluginState::New => PluginState::Starting,
                PluginState::Closed => PluginState::Reopening,
                _ => return None,
            };
            Some((installed.clone(), before))
        });
        let Some((installed, before)) = claimed else { return Ok(()) };
        // If this future is dropped before its end, the plugin was not started.
        let mut outcome = StartOutcome { registry: self, name, state: before };
        let started = self.fire_lifecycle(&installed, cx, &installed.init(cx)).await.map_err(|reason| {
            let mut failure = PluginFailure::new(name, true, &reason);
            failure.optional = installed.plugin.optional;
            failure
        });
        outcome.state = match &started {
            Ok(()) => PluginState::Started,
            Err(failure) => PluginState::Failed(failure.reason.as_str().into()),
        };
        started
    }

    /// Reloads plugins: shuts down the plugins with these `names` in reverse order, uninstalls them, lets `change`
    /// install their replacements, and starts those. A plugin keeps its position among the others. A plugin that
    /// `change` does not install again is gone. All changes that `change` makes to the registry take effect at once, as
    /// with [`update`](Self::update).
    ///
    /// No gate is open in the meantime: in sets that are made between shutdown and start, the guards of these plugins
    /// fail closed and their other hooks do not run. The same holds if `change` fails.
    ///
    /// Returns the value of `change`, and the plugins that failed to stop or to start.
    ///
    /// # Errors
    /// The error of `change`. The registry is then unchanged, except that the plugins are shut down.
    pub async fn reload_plugins<T, E>(
        &self,
        names: &[&str],
        cx: &HookContext,
        mut change: impl FnMut(&Self) -> Result<T, E>,
    ) -> Result<(T, Vec<PluginFailure>), E> {
        let mut failures = Vec::new();
        for name in names.iter().rev() {
            failures.extend(self.shut_down(name, cx, ShutdownReason::Reload, PluginState::Closed).await.err());
        }
        let value = self.update(|draft| {
            let former = draft.plugins();
            for name in names {
                // Dropped outside of the lock: closures are app code.
                let _removed = draft.edit(|snapshot| snapshot.uninstall(name));
            }
            let value = change(draft)?;
            draft.edit(|snapshot| snapshot.close_until_started(names, &former));
            Ok(value)
        })?;
        for name in names {
            failures.extend(self.start(name, cx).await.err());
        }
        Ok((value, failures))
    }

    /// Fires `shutdown` for each started plugin in reverse order of installation, only for its own hooks. The plugins
    /// may be started again.
    ///
    /// # Errors
    /// [`PluginsFailed`] with the plugins whose `shutdown` failed. All others are stopped.
    pub async fn stop_plugins(&self, cx: &HookContext, reason: impl Into<ShutdownReason>) -> Result<(), PluginsFailed> {
        let reason = reason.into();
        let mut failures = Vec::new();
        for name in self.plugins().into_iter().rev() {
            failures.extend(self.shut_down(&name, cx, reason.clone(), PluginState::New).await.err());
        }
        PluginsFailed::unless_empty(failures)
    }

    /// Uninstalls a plugin: fires its `shutdown` if it was started, and removes its hooks from sets made from then on.
    /// Hooks that were installed as values are removed from the registry; a linked plugin can be installed again.
    ///
    /// # Errors
    /// [`PluginsFailed`] if the plugin is not installed, or if its `shutdown` failed. It is uninstalled in any case.
    pub async fn uninstall(&self, name: &str, cx: &HookContext) -> Result<(), PluginsFailed> {
        let plugins = self.plugins();
        let stopped = if plugins.iter().any(|plugin| **plugin == *name) {
            self.shut_down(name, cx, ShutdownReason::Uninstall, PluginState::New).await
        } else {
            let meant = nearest_names(name, plugins.iter().map(|plugin| &**plugin));
            Err(PluginFailure::new(name, false, &format!("it is not installed{meant}")))
        };
        // Dropped after the lock is released: closures are app code.
        let _removed = self.edit(|snapshot| snapshot.uninstall(name));
        PluginsFailed::unless_empty(stopped.err().into_iter().collect())
    }

    /// Fires the `shutdown` of a plugin that was started, whose state is then `next`. A plugin that is closed is so in
    /// any case: its guards fail closed until it is started again.
    async fn shut_down(
        &self,
        name: &str,
        cx: &HookContext,
        reason: ShutdownReason,
        next: PluginState,
    ) -> Result<(), PluginFailure> {
        let started = self.edit(|snapshot| {
            let installed = snapshot.installed_mut(name)?;
            let was_started = installed.state == PluginState::Started;
            if was_started || next == PluginState::Closed {
                installed.state = next;
            }
            was_started.then(|| installed.clone())
        });
        let Some(installed) = started else { return Ok(()) };
        let stopped = self.fire_lifecycle(&installed, cx, &Shutdown::new(reason).plugin(name)).await;
        stopped.map_err(|reason| PluginFailure::new(name, false, &reason))
    }

    /// Fires `event` only for the hooks of one plugin.
    async fn fire_lifecycle<K: HookKind<Subject = ()>>(
        &self,
        installed: &Installed,
        cx: &HookContext,
        event: &K,
    ) -> Result<(), String> {
        let set = resolve::lifecycle(&self.snapshot(), installed).map_err(|error| error.to_string())?;
        set.fire(cx, event, ()).await.map(drop).map_err(|error| error.to_string())
    }
}

/// Stores the new state of a plugin when dropped.
struct StartOutcome<'a> {
    registry: &'a Registry,
    name: &'a str,
    state: PluginState,
}

impl Drop for StartOutcome<'_> {
    fn drop(&mut self) {
        self.registry.edit(|snapshot| {
            if let Some(installed) = snapshot.installed_mut(self.name) {
                installed.state = self.state.clone();
            }
        });
    }
}

impl Snapshot {
    pub(crate) fn installed(&self, name: &str) -> Option<&Installed> {
        self.plugins.iter().find(|installed| *installed.plugin.name == *name)
    }

    fn installed_mut(&mut self, name: &str) -> Option<&mut Installed> {
        self.plugins.iter_mut().find(|installed| *installed.plugin.name == *name)
    }

    /// Marks the installed plugins of `names` as closed until they are started, and restores the order of plugins.
    fn close_until_started(&mut self, names: &[&str], former: &[Arc<str>]) {
        for installed in &mut self.plugins {
            if installed.state == PluginState::New && names.contains(&&*installed.plugin.name) {
                installed.state = PluginState::Closed;
            }
        }
        let place = |name: &Arc<str>| former.iter().position(|before| before == name).unwrap_or(usize::MAX);
        self.plugins.sort_by_key(|installed| place(&installed.plugin.name));
    }

    /// The hooks of a plugin: those installed as values, in order, then the others by id.
    pub(super) fn members_of(&self, installed: &Installed) -> Vec<HookId> {
        let is_member = |hook: &&Arc<Hook>| hook.of_plugin() == Some(&*installed.plugin.name);
        let members = self.hooks.values().filter(is_member).map(|hook| hook.id.clone());
        let mut others: Vec<HookId> = members.filter(|id| !installed.made.contains(id)).collect();
        others.sort();
        installed.made.iter().cloned().chain(others).collect()
    }

    fn install(&mut self, mut plugin: Plugin, hooks: &[Arc<Hook>], origin: Origin) -> Vec<Problem> {
        let mut problems = Vec::new();
        let declared = PluginEntry::declared();
        let (name, of_hooks) = (&plugin.name, || self.hooks.values().filter_map(|hook| hook.of_plugin()));
        let linked = declared.iter().find(|entry| *entry.name == **name);
        if !HookId::is_valid(name) {
            problems.push(check::bad_plugin_name(name, origin));
        } else if let Some(first) = self.installed(name) {
            let text = format!(
                "{origin}: the plugin `{name}` is already installed ({}); install it once, or uninstall it first",
                first.origin
            );
            problems.push(Problem::new(ProblemKind::InstalledTwice, name, text));
        } else if let (Some(entry), false) = (linked, hooks.is_empty()) {
            problems.push(plugin_twice(name, entry.origin, origin));
        } else if hooks.is_empty() && linked.is_none() && of_hooks().all(|plugin| *plugin != **name) {
            let nearest = nearest_names(name, declared.iter().map(|entry| entry.name).chain(of_hooks()));
            let text = format!(
                "{origin}: there is no plugin `{name}`{nearest} (if its crate is not linked, write `use that_crate as _;`; or its feature is off)"
            );
            problems.push(Problem::new(ProblemKind::UnknownPlugin, name, text));
        }
        for (i, hook) in hooks.iter().enumerate() {
            // The plugin's name was reported already.
            let of_plugin = |problem: &Problem| problem.kind() == ProblemKind::BadPluginName;
            problems.extend(check::check(hook).into_iter().filter(|problem| !of_plugin(problem)));
            let earlier = hooks[..i].iter().find(|earlier| earlier.id == hook.id);
            let present = self.hooks.get(&hook.id);
            if let Some(first) = earlier.or(present) {
                problems.push(duplicate_id(&hook.id, first.origin, hook.origin));
            }
        }
        if problems.is_empty() {
            plugin.version = plugin.version.or(linked.map(|entry| entry.version.to_owned()));
            for hook in hooks {
                self.hooks.insert(hook.id.clone(), Arc::clone(hook));
            }
            let made = hooks.iter().map(|hook| hook.id.clone()).collect();
            let state = plugin.failed.clone().map_or(PluginState::New, PluginState::Failed);
            self.plugins.push(Installed { plugin, made, origin, state });
        }
        problems
    }

    fn uninstall(&mut self, name: &str) -> Option<(Installed, Vec<Arc<Hook>>)> {
        let index = self.plugins.iter().position(|installed| *installed.plugin.name == *name)?;
        let installed = self.plugins.remove(index);
        let mut removed = Vec::new();
        for id in &installed.made {
            removed.extend(self.hooks.remove(id));
            self.disabled.remove(id);
        }
        Some((installed, removed))
    }

    /// The findings about plugins, given the agents of all sets.
    pub(super) fn plugin_findings(&self, agents: &[&str]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for installed in &self.plugins {
            let (plugin, origin) = (&installed.plugin.name, installed.origin);
            let members = self.members_of(installed);
            let mut bindings = members.iter().filter_map(|id| self.hooks.get(id)).flat_map(|hook| &hook.bindings);
            let nobody = |agent: &&String| !agents.is_empty() && !agents.contains(&agent.as_str());
            findings.extend(installed.plugin.agents.iter().filter(nobody).map(|agent| {
                let meant = nearest_names(agent, agents.iter().copied());
                let text = format!(
                    "the plugin `{plugin}` ({origin}) is installed for the agent `{agent}`, but no set belongs to an agent of that name{meant}"
                );
                Finding::new(FindingKind::PluginForNoAgent, plugin, text)
            }));
            if members.is_empty() {
                let text = format!("the plugin `{plugin}` ({origin}) is installed but has no hooks");
                findings.push(Finding::new(FindingKind::PluginWithoutHooks, plugin, text));
            } else if installed.state == PluginState::New && bindings.any(|binding| binding.kind.is::<Init>()) {
                let text = format!(
                    "the plugin `{plugin}` ({origin}) has `init` hooks that have not run; call `registry.start_plugins(&cx)`"
                );
                findings.push(Finding::new(FindingKind::PluginNotStarted, plugin, text));
            }
        }
        let missing = self.members().into_iter().filter(|(name, _)| self.installed(name.as_str()).is_none());
        findings.extend(missing.map(|(plugin, hooks)| {
            let hooks = hooks.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            let text = format!(
                "the plugin `{plugin}` is not installed, so its hooks never run ({hooks}); install it with `registry.install(\"{plugin}\")`"
            );
            Finding::new(FindingKind::PluginNotInstalled, plugin, text)
        }));
        findings
    }
}

/// Finds crates that declare the same plugin name, and crates with two declarations.
pub(super) fn declared_twice() -> Vec<Problem> {
    let declared = PluginEntry::declared();
    let mut problems = Vec::new();
    for (i, second) in declared.iter().enumerate() {
        for first in &declared[..i] {
            if first.name == second.name {
                problems.push(plugin_twice(first.name, first.origin, second.origin));
            } else if first.has(second.origin) {
                let text = format!(
                    "one crate declares two plugins, `{}` ({}) and `{}` ({}); keep one `plugin!`, and write `plugin = \"…\"` on the hooks of the other",
                    first.name, first.origin, second.name, second.origin
                );
                problems.push(Problem::new(ProblemKind::PluginsOfOneCrate, first.name, text));
            }
        }
    }
    problems
}

fn plugin_twice(name: &str, first: Origin, second: Origin) -> Problem {
    let text = format!("two plugins have the name `{name}`: {first} and {second}; rename one");
    Problem::new(ProblemKind::PluginTwice, name, text)
}
