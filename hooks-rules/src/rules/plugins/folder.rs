//! One plugin as its folder has it.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::plugin::Plugin;
use serde_json::Value;

use super::super::Trust;
use super::super::source::{Content, Source, content};
use super::PluginStatus;
use super::manifest::{MANIFESTS, Manifest, NAME_HELP, RULES, is_name};
use crate::files::{absolute, lies_in};
use crate::firing::{Owner, PluginFolder};
use crate::written::Defect;

/// Its configuration.
const CONFIG: &str = "config.json";

/// A file that switches it off by being there.
const DISABLED: &str = ".disabled";

/// A plugin as its folder has it.
#[derive(Clone, Debug)]
pub(in super::super) struct Found {
    pub(super) folder: PluginFolder,
    pub(super) manifest: Manifest,
    pub(super) config: Value,
    pub(super) files: Vec<PathBuf>,
    pub(super) status: PluginStatus,
    pub(in super::super) defects: Vec<Defect>,
    /// Manifest and configuration, with the text that was read.
    pub(super) settings: Vec<(PathBuf, String)>,
}

/// How folders are read.
pub(super) struct FolderReading<'a> {
    /// Where the plugins keep their data; `data` beside them where nothing is said.
    pub(super) data: Option<&'a Path>,
    /// What comes with this folder waits for trust; `None` where nothing waits.
    pub(super) project: Option<&'a Path>,
    pub(super) trust: Option<&'a Trust>,
    pub(super) disabled: &'a BTreeSet<String>,
    /// As they were read before.
    pub(super) before: &'a [Found],
}

impl FolderReading<'_> {
    /// Reads the folder `root`; `None` where there is no plugin.
    pub(super) fn read(&self, root: &Path) -> Option<Found> {
        let manifest_file = MANIFESTS.map(|name| root.join(name)).into_iter().find(|path| path.exists());
        let config_file = root.join(CONFIG);
        if manifest_file.is_none() && !root.join(RULES).exists() && !config_file.exists() {
            return None;
        }
        // Messages name files as the app does, commands find full paths.
        let full = absolute(root.to_path_buf());
        let before = self.before.iter().find(|found| found.folder.root == full);
        let waits = self.project.is_some_and(|project| lies_in(root, project));
        let mut part = Part { trust: self.trust, waits, ..Part::default() };
        let manifest_path = manifest_file.unwrap_or_else(|| root.join(MANIFESTS[0]));
        let manifest = part.read(&manifest_path, Manifest::read, || before.map(|found| found.manifest.clone()));
        let config = part.read(&config_file, config, || before.map(|found| found.config.clone()));
        let Part { mut defects, waiting, broken, settings, .. } = part;

        let folder_name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = manifest.name.clone().unwrap_or(folder_name);
        let mut folder = PluginFolder::new(&*name, &*full);
        let data = self.data.map_or_else(|| full.with_file_name("data"), Path::to_path_buf);
        folder.data = Some(absolute(data.join(&name)));
        folder.options = options(&config);
        let files = manifest.files(root, &manifest_path);
        let status = if self.disabled.contains(&name) || root.join(DISABLED).exists() {
            PluginStatus::Disabled
        } else if waiting {
            PluginStatus::Waiting
        } else {
            let bad_name = || format!("`{name}` is not a valid name of a plugin: {NAME_HELP}");
            let unmet = (!is_name(&name)).then(bad_name).or_else(|| manifest.needs.unmet());
            // What was read before goes on, so that no guard vanishes while somebody edits it.
            let goes_on = before.is_some_and(|found| found.folder.closed.is_none());
            let closed = unmet.clone().or_else(|| broken.clone().filter(|_| !goes_on));
            folder.closed = closed.as_deref().map(Into::into);
            unmet.or(broken).map_or(PluginStatus::On, PluginStatus::Failed)
        };
        if let (Some(reason), true) = (&folder.closed, defects.is_empty()) {
            let file: Arc<Path> = manifest_path.as_path().into();
            let problem = format!("the plugin `{name}` cannot run, and its guards refuse: {reason}");
            defects.push(Defect::of_file(&file, problem, "put in what it needs, or leave the plugin out"));
        }
        Some(Found { folder, manifest, config, files, status, defects, settings })
    }
}

/// Reads the manifest and the configuration, and collects what is wrong with them.
#[derive(Default)]
struct Part<'a> {
    trust: Option<&'a Trust>,
    waits: bool,
    defects: Vec<Defect>,
    waiting: bool,
    broken: Option<String>,
    settings: Vec<(PathBuf, String)>,
}

impl Part<'_> {
    /// What is in a file; where that is no such thing, what was in it before.
    fn read<T: Default>(
        &mut self,
        path: &Path,
        parse: impl FnOnce(&Arc<Path>, &str) -> Result<T, Defect>,
        before: impl FnOnce() -> Option<T>,
    ) -> T {
        let file: Arc<Path> = path.into();
        let defect = match content(path, self.trust, self.waits) {
            Content::Missing => return T::default(),
            Content::Waiting => {
                self.waiting = true;
                self.defects.push(Source::waits(&file));
                return T::default();
            }
            Content::Bad(problem, help) => Defect::of_file(&file, problem, help),
            Content::Text(text) => {
                let parsed = parse(&file, &text);
                self.settings.push((path.to_path_buf(), text));
                match parsed {
                    Ok(read) => return read,
                    Err(defect) => defect,
                }
            }
        };
        self.broken.get_or_insert_with(|| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{name}: {}", defect.problem)
        });
        self.defects.push(defect);
        before().unwrap_or_default()
    }
}

fn config(file: &Arc<Path>, text: &str) -> Result<Value, Defect> {
    serde_json::from_str(text).map_err(|error| {
        let problem = format!("this is no JSON: {error}");
        Defect::of_rule(file, error.line(), error.column(), problem, "write an object")
    })
}

/// The simple values of a configuration, as commands find them.
fn options(config: &Value) -> std::collections::BTreeMap<String, String> {
    let simple = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        Some((name.clone(), text))
    };
    config.as_object().into_iter().flatten().filter_map(simple).collect()
}

impl Found {
    pub(in super::super) fn name(&self) -> &str {
        &self.folder.name
    }

    /// Its files of rules, as far as they are in force.
    pub(in super::super) fn sources(&self) -> Vec<Source> {
        if matches!(self.status, PluginStatus::Disabled | PluginStatus::Waiting) {
            return Vec::new();
        }
        let owner = Arc::new(self.folder.clone());
        let source = |path: &PathBuf| Source {
            path: path.clone(),
            owner: Owner::Plugin(Arc::clone(&owner)),
            dialect: None,
            text: None,
        };
        self.files.iter().map(source).collect()
    }

    pub(in super::super) fn status(&self) -> &PluginStatus {
        &self.status
    }

    /// The compiled plugin of its name; `None` where it is not to be there.
    pub(super) fn compiled(&self) -> Option<Plugin> {
        let plugin = Plugin::new(self.name());
        if self.status == PluginStatus::Disabled {
            return None;
        }
        // Nobody gets out of a guard by writing into its folder.
        if self.status == PluginStatus::Waiting {
            return Some(plugin.optional().failed("it waits until somebody trusts its files as they are now"));
        }
        let plugin = plugin.config(self.config.clone()).optional();
        let plugin = self.folder.data.iter().fold(plugin, Plugin::data_dir);
        let plugin = self.manifest.version.iter().fold(plugin, Plugin::version);
        Some(self.folder.closed.iter().fold(plugin, |plugin, reason| plugin.failed(&**reason)))
    }

    /// What is the same as long as its manifest and its configuration are.
    pub(in super::super) fn print(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?} {:?} {:?} {:?}", self.manifest, self.config, self.files, self.folder).hash(&mut hasher);
        hasher.finish()
    }

    /// What is the same as long as nothing changed for a compiled plugin.
    pub(super) fn compiled_print(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        // Its `Debug` shows all that it is given.
        format!("{:?}", self.compiled()).hash(&mut hasher);
        hasher.finish()
    }
}
