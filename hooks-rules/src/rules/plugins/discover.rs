//! The plugins of a folder, in the order in which they are loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PluginStatus;
use super::folder::{FolderReading, Found};
use crate::written::Defect;

impl FolderReading<'_> {
    /// The plugins in `parents`: each after those that it needs, else by name.
    pub(super) fn discover(&self, parents: &[PathBuf]) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut all: Vec<Found> =
            parents.iter().flat_map(|parent| folders(parent)).filter_map(|root| self.read(&root)).collect();
        // One that waits for trust takes no name away from one that runs.
        all.sort_by_key(|plugin| !plugin.status.runs());
        for mut plugin in all {
            if let Some(first) = found.iter().find(|first| first.name() == plugin.name()) {
                let problem = format!("{} has the name `{}` too", first.folder.root.display(), plugin.name());
                if plugin.status.runs() {
                    fail(&mut plugin, &problem, "rename one of the two");
                }
                // Two cannot be told apart by their name.
                plugin.folder.name = plugin.folder.root.to_string_lossy().into_owned();
            }
            if plugin.status.runs()
                && plugin.folder.closed.is_none()
                && let Some(Err(error)) = plugin.folder.data.as_deref().map(std::fs::create_dir_all)
            {
                fail(
                    &mut plugin,
                    &format!("its data folder cannot be created: {error}"),
                    "make its parent folder writable, or name another one with `plugin_data`",
                );
            }
            found.push(plugin);
        }
        found.sort_by(|a, b| a.name().cmp(b.name()));
        in_order(found)
    }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Each after those that it needs; one that needs what is not there is closed.
fn in_order(mut left: Vec<Found>) -> Vec<Found> {
    let mut ordered: Vec<Found> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |plugin: &Found| {
            plugin.manifest.needs.plugins.iter().any(|name| left.iter().any(|other| other.name() == name))
        };
        // Where each waits for another one they wait for each other, and the first of them is told.
        let at = left.iter().position(|plugin| !waits(plugin)).unwrap_or_default();
        let mut plugin = left.remove(at);
        let runs = |name: &&String| {
            ordered.iter().any(|other| other.name() == **name && other.status.runs() && other.folder.closed.is_none())
        };
        if let Some(missing) = plugin.manifest.needs.plugins.iter().find(|name| !runs(name))
            && plugin.status.runs()
        {
            let problem = format!("it needs the plugin `{missing}`, which does not run");
            fail(&mut plugin, &problem, "put that plugin in, or leave this one out");
        }
        ordered.push(plugin);
    }
    ordered
}

/// It cannot run, and its guards refuse.
fn fail(plugin: &mut Found, problem: &str, help: &str) {
    let file: Arc<Path> = plugin.folder.root.as_path().into();
    let told = format!("the plugin `{}` cannot run, and its guards refuse: {problem}", plugin.name());
    plugin.defects.push(Defect::of_file(&file, told, help));
    plugin.folder.closed = Some(problem.into());
    plugin.status = PluginStatus::Failed(problem.to_owned());
}
