//! Finds the plugins of folders and the order in which they are loaded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{PluginEntry, PluginReader};
use super::status::PluginStatus;
use crate::ruleset::trust::Trust;
use crate::syntax::Defect;

/// The folders that contain plugins.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct PluginFolders {
    pub(in super::super) parents: Vec<PathBuf>,
    pub(in super::super) data: Option<PathBuf>,
}

impl PluginFolders {
    /// Reads all plugins. Those inside the folder `project` have to be trusted first.
    pub(in super::super) fn read(
        &self,
        trust: Option<&Trust>,
        project: Option<&Path>,
        disabled: &BTreeSet<String>,
        before: &[PluginEntry],
    ) -> Vec<PluginEntry> {
        PluginReader { data: self.data.as_deref(), project, trust, disabled, before }.discover(&self.parents)
    }
}

impl PluginReader<'_> {
    /// The plugins in `parents`, in the order of their dependencies, then by name.
    fn discover(&self, parents: &[PathBuf]) -> Vec<PluginEntry> {
        let mut found: Vec<PluginEntry> = Vec::new();
        let mut all: Vec<PluginEntry> =
            parents.iter().flat_map(|parent| folders(parent)).filter_map(|root| self.read(&root)).collect();
        // A plugin that is not trusted does not take a name away from one that runs.
        all.sort_by_key(|plugin| !plugin.status.runs());
        for mut plugin in all {
            if let Some(first) = found.iter().find(|first| first.name() == plugin.name()) {
                let problem = format!("{} also has the name `{}`", first.folder.root.display(), plugin.name());
                if plugin.status.runs() {
                    fail(&mut plugin, &problem, "rename one of the two");
                }
                // A second plugin with the same name cannot be addressed.
                plugin.folder.name = plugin.folder.root.to_string_lossy().into_owned();
            }
            if plugin.status.runs()
                && plugin.folder.failure.is_none()
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

/// Sorts plugins by their dependencies. A plugin with a missing dependency fails.
fn in_order(mut left: Vec<PluginEntry>) -> Vec<PluginEntry> {
    let mut ordered: Vec<PluginEntry> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |plugin: &PluginEntry| {
            plugin.manifest.needs.plugins.iter().any(|name| left.iter().any(|other| other.name() == name))
        };
        // In a dependency cycle, the first plugin fails.
        let at = left.iter().position(|plugin| !waits(plugin)).unwrap_or_default();
        let mut plugin = left.remove(at);
        let runs = |name: &&String| {
            ordered.iter().any(|other| other.name() == **name && other.status.runs() && other.folder.failure.is_none())
        };
        if let Some(missing) = plugin.manifest.needs.plugins.iter().find(|name| !runs(name))
            && plugin.status.runs()
        {
            let problem = format!("it needs the plugin `{missing}`, which does not run");
            fail(&mut plugin, &problem, "install that plugin, or remove this one");
        }
        ordered.push(plugin);
    }
    ordered
}

/// Marks a plugin as failed. Its guards deny.
fn fail(plugin: &mut PluginEntry, problem: &str, help: &str) {
    let file: Arc<Path> = plugin.folder.root.as_path().into();
    let message = format!("the plugin `{}` cannot run, and its guards deny: {problem}", plugin.name());
    plugin.defects.push(Defect::of_file(&file, message, help));
    plugin.folder.failure = Some(problem.into());
    plugin.status = PluginStatus::Failed(problem.to_owned());
}
