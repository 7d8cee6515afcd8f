//! Plugins from folders: found, loaded in a stable order, switched on and off, and loaded again where their files change.

mod contents;
mod discover;
mod folder;
mod manifest;
#[cfg(feature = "watch")]
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::diagnostics::ProblemKind;
use hooks_core::scope::HookUse;
use hooks_core::{ConfigError, HookContext, Registry};
use serde::Serialize;

use self::folder::FolderReading;
use super::state::State;
use super::{Rules, Trust};
use crate::file::RuleFile;
use crate::rules::source::Source;
pub use contents::PluginContents;
pub(super) use folder::Found;
#[cfg(feature = "watch")]
pub(super) use watch::Watched;
#[cfg(feature = "watch")]
pub use watch::{RulesWatch, WatchError};

/// The folders whose folders are plugins.
#[derive(Clone, Debug, Default)]
pub(super) struct PluginFolders {
    pub(super) parents: Vec<PathBuf>,
    pub(super) data: Option<PathBuf>,
}

impl PluginFolders {
    /// Reads them all. What comes with `project` waits for trust.
    pub(super) fn read(
        &self,
        trust: Option<&Trust>,
        project: Option<&std::path::Path>,
        disabled: &BTreeSet<String>,
        before: &[Found],
    ) -> Vec<Found> {
        FolderReading { data: self.data.as_deref(), project, trust, disabled, before }.discover(&self.parents)
    }
}

/// Whether a plugin runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginStatus {
    /// It runs.
    On,
    /// It is switched off: by [`Rules::disable_plugin`], or by a file `.disabled` in its folder.
    Disabled,
    /// It came with the project, and waits until somebody trusts its files as they are now.
    Waiting,
    /// It is broken, for this reason. What was read of it before goes on, so that no guard vanishes while somebody edits it; where
    /// that cannot be, or something that it needs is not there, its guards refuse and the rest is left out.
    Failed(String),
}

impl PluginStatus {
    /// Whether something of it is in force.
    pub(super) fn runs(&self) -> bool {
        matches!(self, Self::On | Self::Failed(_))
    }
}

/// A plugin of a folder, as an app lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ListedPlugin {
    /// Its name: what its manifest says, or its folder's.
    pub name: String,
    /// Its version, where its manifest says one.
    pub version: Option<String>,
    /// What it is for, where its manifest says so.
    pub description: Option<String>,
    /// Its folder.
    pub root: PathBuf,
    /// The folder for its data.
    pub data: Option<PathBuf>,
    /// Whether it runs.
    pub status: PluginStatus,
}

/// What happened to a plugin of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginChange {
    /// The plugin.
    pub plugin: String,
    /// What happened.
    pub step: PluginStep,
}

/// A step of a plugin's life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginStep {
    /// It was not there before.
    Loaded,
    /// It was loaded again.
    Reloaded,
    /// It is switched off.
    Disabled,
    /// It waits for trust.
    Waiting,
    /// It is broken; [`PluginStatus::Failed`] says what that means.
    Failed(String),
    /// It is gone.
    Removed,
}

impl fmt::Display for PluginChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = &self.plugin;
        match &self.step {
            PluginStep::Loaded => write!(f, "the plugin `{plugin}` was loaded"),
            PluginStep::Reloaded => write!(f, "the plugin `{plugin}` was loaded again"),
            PluginStep::Disabled => write!(f, "the plugin `{plugin}` is switched off"),
            PluginStep::Waiting => write!(f, "the plugin `{plugin}` waits until somebody trusts its files"),
            PluginStep::Failed(reason) => write!(f, "the plugin `{plugin}` failed: {reason}"),
            PluginStep::Removed => write!(f, "the plugin `{plugin}` was removed"),
        }
    }
}

/// Told of each step.
pub(super) type PluginListener = Arc<dyn Fn(&PluginChange) + Send + Sync>;

/// What each plugin was told of last: the fingerprint of all its files, and whether it runs.
pub(super) type ToldPlugins = BTreeMap<String, (u64, PluginStatus)>;

impl Rules {
    /// The plugins of the folders, in their order.
    pub fn plugins(&self) -> Vec<ListedPlugin> {
        let state = self.state();
        let listed = |found: &Found| ListedPlugin {
            name: found.name().to_owned(),
            version: found.manifest.version.clone(),
            description: found.manifest.description.clone(),
            root: found.folder.root.clone(),
            data: found.folder.data.clone(),
            status: state.plugin_now(found).1,
        };
        state.plugins.iter().map(listed).collect()
    }

    /// Switches a plugin of a folder off, from the next [`refresh`](Self::refresh) or [`apply`](Self::apply) on. Returns whether
    /// there is one of this name.
    pub fn disable_plugin(&self, name: &str) -> bool {
        self.state().disabled_plugins.insert(name.to_owned());
        self.knows_plugin(name)
    }

    /// Takes a plugin of a folder back in, from the next [`refresh`](Self::refresh) or [`apply`](Self::apply) on; a file
    /// `.disabled` in its folder still counts. Returns whether there is one of this name.
    pub fn enable_plugin(&self, name: &str) -> bool {
        self.state().disabled_plugins.remove(name);
        self.knows_plugin(name)
    }

    fn knows_plugin(&self, name: &str) -> bool {
        self.state().plugins.iter().any(|found| found.name() == name)
    }

    /// Installs the rules as [`install`](Self::install) does, and puts what belongs into the app's list there itself: where an
    /// earlier call put it, else at its end. All of it at once: a set that is made meanwhile has what was there before, or
    /// what is there now.
    ///
    /// # Errors
    /// [`ConfigError`] where another hook has one of the ids; nothing has changed then.
    pub fn apply(&self, registry: &Registry) -> Result<(), ConfigError> {
        let put = registry.update(|draft| self.put_into(draft))?;
        self.state().was_put(put);
        Ok(())
    }

    /// Puts rules and compiled plugins into a draft, and into its app's list what belongs there.
    fn put_into(&self, draft: &Registry) -> Result<Put, ConfigError> {
        let compiled = self.install_compiled(draft)?;
        let installed = self.install_rules(draft)?;
        let mut app = draft.app();
        let before = self.state().uses.clone();
        let mut list = app.hooks.take().unwrap_or_default();
        let at = list.iter().position(|entry| before.contains(entry)).unwrap_or(list.len());
        list.retain(|entry| !before.contains(entry));
        let at = at.min(list.len());
        // What the app names itself stands where the app says.
        let uses: Vec<HookUse> = installed.into_iter().filter(|entry| !list.contains(entry)).collect();
        list.splice(at..at, uses.iter().cloned());
        app.hooks = Some(list);
        draft.set_app(app);
        Ok(Put { uses, compiled })
    }

    /// Reads files and folders of plugins again, and puts what changed into `registry`. A compiled plugin whose configuration
    /// changed is shut down, and then started anew with `cx`; until then its guards refuse. Sets that were made go on as they are,
    /// and a set that is made meanwhile has all that was there before, or all that is there now. Returns what happened to
    /// plugins, of which the listeners were told.
    ///
    /// ```
    /// use hooks_core::prelude::*;
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
    /// [`ConfigError`] where what is there now does not fit together: the rules of before stay in force then, and the guards of
    /// compiled plugins that were to be loaded again refuse.
    pub async fn refresh(&self, registry: &Registry, cx: &HookContext) -> Result<Vec<PluginChange>, ConfigError> {
        let _one_at_a_time = self.refreshing().lock().await;
        self.reload();
        let (mut changes, told) = self.changes();
        if !self.state().changed {
            return Ok(Vec::new());
        }
        let names = self.compiled_changes(registry);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let reloaded = registry.reload_plugins(&names, cx, |draft| self.put_into(draft)).await;
        let failures = {
            let mut state = self.state();
            // They were shut down, whatever came of the rest.
            state.compiled.retain(|name, _| !names.contains(&name.as_str()));
            let (put, failures) = reloaded?;
            state.was_put(put);
            state.told = told;
            failures
        };
        for failure in failures {
            let step = PluginStep::Failed(failure.reason);
            changes.retain(|change| change.plugin != failure.plugin || !failure.starting);
            changes.push(PluginChange { plugin: failure.plugin, step });
        }
        for change in &changes {
            self.tell(change);
        }
        Ok(changes)
    }

    /// What happened to plugins since the last time that was told, and what is to be told now.
    fn changes(&self) -> (Vec<PluginChange>, ToldPlugins) {
        let state = self.state();
        let now: ToldPlugins =
            state.plugins.iter().map(|found| (found.name().to_owned(), state.plugin_now(found))).collect();
        let gone = state.told.keys().filter(|name| !now.contains_key(*name));
        let mut changes: Vec<PluginChange> =
            gone.map(|name| PluginChange { plugin: name.clone(), step: PluginStep::Removed }).collect();
        for found in &state.plugins {
            let (plugin, before) = (found.name().to_owned(), state.told.get(found.name()));
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

    /// The plugins that are to be started anew in `registry`, or are gone from it. What the app installed itself is not ours.
    fn compiled_changes(&self, registry: &Registry) -> Vec<String> {
        let there: BTreeSet<String> = registry.plugins().iter().map(|name| (**name).to_owned()).collect();
        let state = self.state();
        let gone = state.compiled.keys().filter(|name| !state.plugins.iter().any(|found| found.name() == **name));
        let changed = state.plugins.iter().filter(|found| match state.compiled.get(found.name()) {
            Some(print) => *print != found.compiled_print(),
            None => !there.contains(found.name()),
        });
        gone.cloned().chain(changed.map(|found| found.name().to_owned())).collect()
    }

    /// Installs the compiled plugins that have a folder, with what is in it. What the app installed itself stays as it is.
    pub(super) fn install_compiled(&self, registry: &Registry) -> Result<BTreeMap<String, u64>, ConfigError> {
        let plugins = self.state().plugins.clone();
        let mut compiled = BTreeMap::new();
        let mut dead = Vec::new();
        for found in &plugins {
            let Some(plugin) = found.compiled() else { continue };
            let error = match registry.install(plugin) {
                Ok(()) => {
                    compiled.insert(found.name().to_owned(), found.compiled_print());
                    continue;
                }
                Err(error) => error,
            };
            let mut kinds = error.problems().iter().map(hooks_core::diagnostics::Problem::kind);
            if kinds.all(|kind| matches!(kind, ProblemKind::UnknownPlugin | ProblemKind::BadPluginName)) {
                // It is one of rules alone.
                if found.files.is_empty() {
                    let file = RuleFile::unreadable(&found.folder.root, "", "");
                    let problem =
                        format!("the plugin `{}` has no rules, and no crate of this program is it", found.name());
                    let help = "write `hooks/hooks.json`, or name the crate: `use that_crate as _;`";
                    dead.push(Source::defect(&file, 0, 0, problem, help));
                }
            } else if error.problems().iter().all(|problem| problem.kind() == ProblemKind::InstalledTwice) {
                let mine = self.state().compiled.get(found.name()).copied();
                compiled.extend(mine.map(|print| (found.name().to_owned(), print)));
            } else {
                return Err(error);
            }
        }
        self.state().dead_plugins = dead;
        Ok(compiled)
    }
}

/// What was put into a registry.
struct Put {
    /// In the app's list.
    uses: Vec<HookUse>,
    /// Compiled plugins, with what they were given.
    compiled: BTreeMap<String, u64>,
}

impl State {
    fn was_put(&mut self, put: Put) {
        (self.uses, self.compiled, self.changed) = (put.uses, put.compiled, false);
    }
}
