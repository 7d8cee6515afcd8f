//! Reloads plugins and rules when their files change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hook_sdk::{HookContext, Registry};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::rules::Rules;
use crate::paths::absolute;

/// How long to wait for further changes before reloading, because editors often write several files.
const QUIET: Duration = Duration::from_millis(50);

/// Watches the files of rules and plugins, and reloads them when they change. Watching ends when this is dropped or
/// [stopped](Self::stop).
#[derive(Debug)]
#[must_use = "dropping this stops watching"]
pub struct RulesWatch {
    watcher: RecommendedWatcher,
    reading: JoinHandle<()>,
}

/// The error of watching a folder.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be watched: {reason}", folder.display())]
pub struct WatchError {
    folder: PathBuf,
    reason: String,
}

impl RulesWatch {
    /// Stops watching, and waits until a reload that has begun is complete.
    pub async fn stop(self) {
        drop(self.watcher);
        // A panic has already been reported.
        let _ = self.reading.await;
    }
}

impl Rules {
    /// Watches the files of rules and the folders of plugins, and calls [`refresh`](Self::refresh) when they change.
    /// The listener of [`on_plugin`](crate::RulesBuilder::on_plugin) gets each change of a plugin. If the new state is
    /// invalid, an error is logged. Changes from before this call are loaded immediately.
    ///
    /// # Errors
    /// [`WatchError`] if a folder does not exist, or the system cannot watch it.
    ///
    /// # Panics
    /// If called outside a Tokio runtime.
    pub fn watch(&self, registry: &Registry, cx: &HookContext) -> Result<RulesWatch, WatchError> {
        let (sender, mut changes) = mpsc::channel::<()>(1);
        let first = sender.clone();
        let paths = WatchPaths::of(self);
        let relevant = paths.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // If the system lost events, anything may have changed.
            if event.is_ok_and(|event| !relevant.affected_by(&event)) {
                return;
            }
            // If a reload is already pending, it covers this change too.
            let _ = sender.try_send(());
        });
        let failed = |folder: &Path, error: &notify::Error| WatchError {
            folder: folder.to_path_buf(),
            reason: error.to_string(),
        };
        let mut watcher = watcher.map_err(|error| failed(Path::new(""), &error))?;
        for (folder, mode) in paths.folders() {
            watcher.watch(&folder, mode).map_err(|error| failed(&folder, &error))?;
        }
        let _ = first.try_send(());
        drop(first);
        let (rules, registry, cx) = (self.clone(), registry.clone(), cx.clone());
        let reading = tokio::spawn(async move {
            while changes.recv().await.is_some() {
                tokio::time::sleep(QUIET).await;
                let _ = changes.try_recv();
                if let Err(error) = rules.refresh(&registry, &cx).await {
                    tracing::error!(target: "hooks_rules", %error, "the changed rules and plugins are invalid, so the previous ones stay in force");
                }
            }
        });
        Ok(RulesWatch { watcher, reading })
    }
}

/// The paths to watch.
#[derive(Clone, Debug)]
struct WatchPaths {
    /// Folders with plugins, watched recursively.
    parents: Vec<PathBuf>,
    /// Folders with the data of plugins.
    data: Vec<PathBuf>,
    /// Single files.
    files: Vec<PathBuf>,
}

impl WatchPaths {
    fn of(rules: &Rules) -> Self {
        let setup = rules.setup();
        let folders = &setup.plugins;
        let next_to_plugins = folders.parents.iter().map(|parent| parent.join("data"));
        let named = setup.sources.iter().filter(|source| source.text.is_none()).map(|source| &source.path);
        Self {
            parents: folders.parents.clone(),
            data: folders.data.clone().map_or_else(|| next_to_plugins.collect(), |data| vec![data]),
            files: named.chain(&setup.trust).cloned().map(absolute).collect(),
        }
    }

    fn folders(&self) -> Vec<(PathBuf, RecursiveMode)> {
        let mut folders: Vec<_> =
            self.parents.iter().map(|folder| (folder.clone(), RecursiveMode::Recursive)).collect();
        for folder in self.files.iter().filter_map(|file| file.parent()).filter(|folder| folder.is_dir()) {
            let known = folders.iter().any(|(known, mode)| match mode {
                RecursiveMode::Recursive => folder.starts_with(known),
                RecursiveMode::NonRecursive => folder == known,
            });
            if !known {
                folders.push((folder.to_path_buf(), RecursiveMode::NonRecursive));
            }
        }
        folders
    }

    fn affected_by(&self, event: &Event) -> bool {
        // Reading a file is not a change, and this crate reads the files.
        if event.kind.is_access() {
            return false;
        }
        let concerns = |path: &PathBuf| {
            let of_plugin = self.parents.iter().any(|parent| path.starts_with(parent));
            let is_data = self.data.iter().any(|data| path.starts_with(data));
            (of_plugin && !is_data) || self.files.contains(path)
        };
        event.need_rescan() || event.paths.iter().any(concerns)
    }
}
