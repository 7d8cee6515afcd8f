//! Loads plugins and rules, disables plugins, and loads them again when their files change.

use std::collections::{BTreeMap, BTreeSet};

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::scope::HookUse;
use hook_sdk::{ConfigError, HookContext, Registry};

use super::plugins::{PluginChange, PluginEntry, PluginInfo, PluginStates, PluginStatus, PluginStep};
use super::rules::Rules;
use super::source::Source;
use super::state::State;
use crate::rule_file::RuleFile;

impl Rules {
    /// The plugins of the folders, in loading order.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        let state = self.state();
        let listed = |found: &PluginEntry| PluginInfo {
            name: found.name().to_owned(),
            version: found.manifest.version.clone(),
            description: found.manifest.description.clone(),
            root: found.folder.root.clone(),
            data: found.folder.data.clone(),
            status: state.plugin_now(found).1,
        };
        state.plugins.iter().map(listed).collect()
    }

    /// Disables a plugin. Takes effect at the next [`refresh`](Self::refresh) or [`apply`](Self::apply). Returns
    /// whether the plugin exists.
    pub fn disable_plugin(&self, name: &str) -> bool {
        self.state().disabled_plugins.insert(name.to_owned());
        self.knows_plugin(name)
    }

    /// Enables a plugin again. Takes effect at the next [`refresh`](Self::refresh) or [`apply`](Self::apply). A file
    /// `.disabled` in its folder still disables it. Returns whether the plugin exists.
    pub fn enable_plugin(&self, name: &str) -> bool {
        self.state().disabled_plugins.remove(name);
        self.knows_plugin(name)
    }

    fn knows_plugin(&self, name: &str) -> bool {
        self.state().plugins.iter().any(|found| found.name() == name)
    }

    /// Like [`install`](Self::install), but also updates the app's list: the entries replace those of an earlier call,
    /// or are appended. The update is atomic: a hook set that is created concurrently sees either the previous state or
    /// the new one.
    ///
    /// # Errors
    /// [`ConfigError`] if another hook has one of the ids. Nothing has changed then.
    pub fn apply(&self, registry: &Registry) -> Result<(), ConfigError> {
        let put = registry.update(|draft| self.install_into(draft))?;
        self.state().record_installed(put);
        Ok(())
    }

    /// Installs rules and compiled plugins in a draft, and updates its app's list.
    fn install_into(&self, draft: &Registry) -> Result<Installation, ConfigError> {
        let compiled = self.install_compiled(draft)?;
        let installed = self.install_rules(draft)?;
        let mut app = draft.app();
        let before = self.state().uses.clone();
        let mut list = app.hooks.take().unwrap_or_default();
        let at = list.iter().position(|entry| before.contains(entry)).unwrap_or(list.len());
        list.retain(|entry| !before.contains(entry));
        let at = at.min(list.len());
        // Entries that the app lists itself stay where they are.
        let uses: Vec<HookUse> = installed.into_iter().filter(|entry| !list.contains(entry)).collect();
        list.splice(at..at, uses.iter().cloned());
        app.hooks = Some(list);
        draft.set_app(app);
        Ok(Installation { uses, compiled })
    }

    /// Reads the files and the folders of plugins again, and updates `registry`. A compiled plugin whose configuration
    /// changed is shut down and started again with `cx`; until then, its guards deny. Existing hook sets do not change,
    /// and a hook set that is created concurrently sees either the previous state or the new one. Returns the changes
    /// of plugins, which are also passed to the listener.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    /// use hooks_rules::{PluginStep, Rules};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let (registry, cx) = (Registry::empty(), HookContext::new());
    /// let rules = Rules::builder().plugins(folder.path()).project_dir("/project").build();
    /// rules.apply(&registry)?;
    ///
    /// std::fs::create_dir_all(folder.path().join("guards/hooks"))?;
    /// std::fs::write(folder.path().join("guards/hooks/hooks.json"), r#"{"hooks": {"PreToolUse": [
    ///     {"hooks": [{"type": "command", "command": "echo 'not here' >&2; exit 2"}]}]}}"#)?;
    /// let changes = rules.refresh(&registry, &cx).await?;
    /// assert_eq!((changes[0].plugin.as_str(), &changes[0].step), ("guards", &PluginStep::Loaded));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ConfigError`] if the new state is invalid. The previous rules then stay in force, and the guards of compiled
    /// plugins that were about to be reloaded deny.
    pub async fn refresh(&self, registry: &Registry, cx: &HookContext) -> Result<Vec<PluginChange>, ConfigError> {
        let _one_at_a_time = self.refreshing().lock().await;
        self.reload();
        let (mut changes, reported) = self.changes();
        if !self.state().changed {
            return Ok(Vec::new());
        }
        let names = self.compiled_changes(registry);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let reloaded = registry.reload_plugins(&names, cx, |draft| self.install_into(draft)).await;
        let failures = {
            let mut state = self.state();
            // They were shut down, even if the update failed.
            state.compiled.retain(|name, _| !names.contains(&name.as_str()));
            let (put, failures) = reloaded?;
            state.record_installed(put);
            state.reported = reported;
            failures
        };
        for failure in failures {
            let step = PluginStep::Failed(failure.reason);
            changes.retain(|change| change.plugin != failure.plugin || !failure.starting);
            changes.push(PluginChange { plugin: failure.plugin, step });
        }
        for change in &changes {
            self.setup().plugin_listeners.iter().for_each(|listener| listener(change));
        }
        Ok(changes)
    }

    /// The changes of plugins since the last report, and the state to report next.
    fn changes(&self) -> (Vec<PluginChange>, PluginStates) {
        let state = self.state();
        let now: PluginStates =
            state.plugins.iter().map(|found| (found.name().to_owned(), state.plugin_now(found))).collect();
        let gone = state.reported.keys().filter(|name| !now.contains_key(*name));
        let mut changes: Vec<PluginChange> =
            gone.map(|name| PluginChange { plugin: name.clone(), step: PluginStep::Removed }).collect();
        for found in &state.plugins {
            let (plugin, before) = (found.name().to_owned(), state.reported.get(found.name()));
            let (_, status) = &now[&plugin];
            if before == Some(&now[&plugin]) {
                continue;
            }
            let step = match (status, before) {
                (PluginStatus::On, None) => PluginStep::Loaded,
                (PluginStatus::On, Some(_)) => PluginStep::Reloaded,
                (PluginStatus::Disabled, _) => PluginStep::Disabled,
                (PluginStatus::Waiting, _) => PluginStep::Waiting,
                (PluginStatus::Failed(reason), _) => PluginStep::Failed(reason.clone()),
            };
            changes.push(PluginChange { plugin, step });
        }
        (changes, now)
    }

    /// The plugins in `registry` that have to be restarted or were removed. Plugins that the app installed itself are
    /// not included.
    fn compiled_changes(&self, registry: &Registry) -> Vec<String> {
        let there: BTreeSet<String> = registry.plugins().iter().map(|name| (**name).to_owned()).collect();
        let state = self.state();
        let gone = state.compiled.keys().filter(|name| !state.plugins.iter().any(|found| found.name() == **name));
        let changed = state.plugins.iter().filter(|found| match state.compiled.get(found.name()) {
            Some(fingerprint) => *fingerprint != found.compiled_fingerprint(),
            None => !there.contains(found.name()),
        });
        gone.cloned().chain(changed.map(|found| found.name().to_owned())).collect()
    }

    /// Installs the compiled plugins that have a folder, with the configuration in it. Plugins that the app installed
    /// itself do not change.
    pub(super) fn install_compiled(&self, registry: &Registry) -> Result<BTreeMap<String, u64>, ConfigError> {
        let plugins = self.state().plugins.clone();
        let mut compiled = BTreeMap::new();
        let mut dead = Vec::new();
        for found in &plugins {
            let Some(plugin) = found.compiled() else { continue };
            let error = match registry.install(plugin) {
                Ok(()) => {
                    compiled.insert(found.name().to_owned(), found.compiled_fingerprint());
                    continue;
                }
                Err(error) => error,
            };
            let mut kinds = error.problems().iter().map(hook_sdk::diagnostics::Problem::kind);
            if kinds.all(|kind| matches!(kind, ProblemKind::UnknownPlugin | ProblemKind::BadPluginName)) {
                // It has rules only.
                if found.files.is_empty() {
                    let file = RuleFile::unreadable(&found.folder.root, "", "");
                    let problem = format!(
                        "the plugin `{}` has no rules, and no crate of this program has its name",
                        found.name()
                    );
                    let help = "write `hooks/hooks.json`, or name the crate: `use that_crate as _;`";
                    dead.push(Source::defect(&file, 0, 0, problem, help));
                }
            } else if error.problems().iter().all(|problem| problem.kind() == ProblemKind::InstalledTwice) {
                let mine = self.state().compiled.get(found.name()).copied();
                compiled.extend(mine.map(|fingerprint| (found.name().to_owned(), fingerprint)));
            } else {
                return Err(error);
            }
        }
        self.state().dead_plugins = dead;
        Ok(compiled)
    }
}

/// What was installed in a registry.
struct Installation {
    /// The entries in the app's list.
    uses: Vec<HookUse>,
    /// The compiled plugins, with fingerprints of what they were given.
    compiled: BTreeMap<String, u64>,
}

impl State {
    fn record_installed(&mut self, put: Installation) {
        (self.uses, self.compiled, self.changed) = (put.uses, put.compiled, false);
    }
}
