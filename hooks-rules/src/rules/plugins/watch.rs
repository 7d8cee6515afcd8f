//! Reading plugins and rules again when their files change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::{HookContext, Registry};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::Rules;

/// How long nothing has to happen before files are read: who edits writes several, one after the other.
const QUIET: Duration = Duration::from_millis(50);

/// Reads rules and plugins again when their files change, until it is dropped or [stopped](Self::stop).
#[derive(Debug)]
#[must_use = "nothing is watched any more when this is dropped"]
pub struct RulesWatch {
    watcher: RecommendedWatcher,
    reading: JoinHandle<()>,
}

/// A folder that cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be watched: {reason}", folder.display())]
pub struct WatchError {
    folder: PathBuf,
    reason: String,
}

impl RulesWatch {
    /// Watches no more, and waits until what is being read is in force.
    pub async fn stop(self) {
        drop(self.watcher);
        // A panic was told where it happened.
        let _ = self.reading.await;
    }
}

impl Rules {
    /// Watches the files and the folders of plugins, and does what [`refresh`](Self::refresh) does where they change. The listeners
    /// of [`on_plugin`](crate::RulesBuilder::on_plugin) are told of each step; where what is there does not fit together,
    /// a line goes to the log. What changed before this call is read at once.
    ///
    /// # Errors
    /// [`WatchError`], where a folder is not there or the system cannot watch it.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn watch(&self, registry: &Registry, cx: &HookContext) -> Result<RulesWatch, WatchError> {
        let (say, mut heard) = mpsc::channel::<()>(1);
        let first = say.clone();
        let places = self.watched();
        let concerns = places.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Where the system lost count, anything may have changed.
            if event.is_ok_and(|event| !concerns.concern(&event)) {
                return;
            }
            // Where something waits to be read, this is read with it.
            let _ = say.try_send(());
        });
        let failed = |folder: &Path, error: &notify::Error| WatchError {
            folder: folder.to_path_buf(),
            reason: error.to_string(),
        };
        let mut watcher = watcher.map_err(|error| failed(Path::new(""), &error))?;
        for (folder, mode) in places.folders() {
            watcher.watch(&folder, mode).map_err(|error| failed(&folder, &error))?;
        }
        let _ = first.try_send(());
        drop(first);
        let (rules, registry, cx) = (self.clone(), registry.clone(), cx.clone());
        let reading = tokio::spawn(async move {
            while heard.recv().await.is_some() {
                tokio::time::sleep(QUIET).await;
                let _ = heard.try_recv();
                if let Err(error) = rules.refresh(&registry, &cx).await {
                    tracing::error!(target: "hooks_rules", %error, "what changed does not fit together, and is not in force");
                }
            }
        });
        Ok(RulesWatch { watcher, reading })
    }
}

/// What is watched.
#[derive(Clone, Debug)]
pub(in super::super) struct Watched {
    /// Folders of plugins, with all in them.
    pub(in super::super) parents: Vec<PathBuf>,
    /// Where plugins keep their data.
    pub(in super::super) data: Vec<PathBuf>,
    /// Single files.
    pub(in super::super) files: Vec<PathBuf>,
}

impl Watched {
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

    fn concern(&self, event: &Event) -> bool {
        // That somebody reads a file is no change, and this crate reads them.
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
