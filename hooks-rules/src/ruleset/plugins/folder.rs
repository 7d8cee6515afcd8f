//! Reads the folder of a plugin.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_sdk::plugin::Plugin;
use serde_json::Value;

use super::super::source::{Content, Source, content};
use super::super::trust::Trust;
use super::manifest::{MANIFESTS, Manifest, NAME_HELP, RULES, is_name};
use super::status::PluginStatus;
use crate::paths::{absolute, lies_in};
use crate::runner::{Owner, PluginFolder};
use crate::syntax::{Defect, Severity};

/// The configuration file.
const CONFIG: &str = "config.json";

/// The file whose presence disables the plugin.
const DISABLED: &str = ".disabled";

/// A plugin as it is in its folder.
#[derive(Clone, Debug)]
pub(in super::super) struct PluginEntry {
    pub(in super::super) folder: PluginFolder,
    pub(in super::super) manifest: Manifest,
    pub(super) config: Value,
    pub(in super::super) files: Vec<PathBuf>,
    pub(super) status: PluginStatus,
    pub(in super::super) defects: Vec<Defect>,
    /// The manifest and the configuration, with the texts that were read.
    pub(super) settings: Vec<(PathBuf, String)>,
}

/// How to read plugin folders.
pub(super) struct PluginReader<'a> {
    /// The folder with the data of plugins. `None` for `data` next to them.
    pub(super) data: Option<&'a Path>,
    /// The folder whose plugins have to be trusted. `None` if all are trusted.
    pub(super) project: Option<&'a Path>,
    pub(super) trust: Option<&'a Trust>,
    pub(super) disabled: &'a BTreeSet<String>,
    /// The plugins as they were read before.
    pub(super) before: &'a [PluginEntry],
}

impl PluginReader<'_> {
    /// Reads the folder `root`. `None` if it is not a plugin.
    pub(super) fn read(&self, root: &Path) -> Option<PluginEntry> {
        let manifest_file = MANIFESTS.map(|name| root.join(name)).into_iter().find(|path| path.exists());
        let config_file = root.join(CONFIG);
        let waits = self.project.is_some_and(|project| lies_in(root, project));
        let trusted = if waits { self.trusted_within(root) } else { Vec::new() };
        let is_setting = |path: &PathBuf| *path == config_file || MANIFESTS.iter().any(|name| *path == root.join(name));
        let (settings, mut guards): (Vec<_>, Vec<_>) = trusted.into_iter().partition(is_setting);
        let lost: Vec<PathBuf> = settings.into_iter().filter(|path| !path.exists()).collect();
        if manifest_file.is_none() && !root.join(RULES).exists() && !config_file.exists() && lost.is_empty() {
            return None;
        }
        // Messages show paths as the app wrote them, but commands get absolute paths.
        let full = absolute(root.to_path_buf());
        let before = self.before.iter().find(|found| found.folder.root == full);
        let mut part = Part { trust: self.trust, waits, ..Part::default() };
        let manifest_path = manifest_file.unwrap_or_else(|| root.join(MANIFESTS[0]));
        let manifest = part.read(&manifest_path, Manifest::read, || before.map(|found| found.manifest.clone()));
        let config = part.read(&config_file, config, || before.map(|found| found.config.clone()));
        let Part { mut defects, waiting, broken, settings, .. } = part;
        let waiting = waiting || !lost.is_empty();
        defects.extend(lost.iter().map(|path| {
            let help = "restore it, or end its trust: `hooks trust --remove`, or `Trust::revoke` in an app";
            Defect::of_file(&path.as_path().into(), "somebody trusted this file, and it is gone", help)
        }));
        let is_off = self.is_switched_off(root, waits, &mut defects);

        let folder_name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Without a trusted manifest, the name only decides whose guards deny.
        let untrusted = || match before {
            Some(before) => Some(before.name().to_owned()),
            None => named(&manifest_path).filter(|name| is_name(name)),
        };
        let name = manifest.name.clone().or_else(|| untrusted().filter(|_| waiting)).unwrap_or(folder_name);
        let mut folder = PluginFolder::new(&*name, &*full);
        let data = self.data.map_or_else(|| full.with_file_name("data"), Path::to_path_buf);
        folder.data = Some(absolute(data.join(&name)));
        folder.options = options(&config);
        let mut files = manifest.files(root, &manifest_path);
        if waiting {
            // Whoever changes or removes the manifest must not remove a trusted guard that only the manifest named.
            guards.retain(|path| !files.contains(path) && path.is_file() && !path.ends_with(DISABLED));
            files.append(&mut guards);
        }
        let status = if self.disabled.contains(&name) || is_off {
            PluginStatus::Disabled
        } else if waiting {
            // Whoever adds or changes a file of a plugin must not remove a guard whose own file is trusted.
            folder.failure = Some("the current content of its files is not trusted".into());
            PluginStatus::Waiting
        } else {
            let bad_name = || format!("`{name}` is not a valid name of a plugin: {NAME_HELP}");
            let unmet = (!is_name(&name)).then(bad_name).or_else(|| manifest.needs.unmet());
            // The rules of the last valid version stay in use, so that a guard does not disappear while its files are being
            // edited.
            let goes_on = before.is_some_and(|found| found.folder.failure.is_none());
            let failure = unmet.clone().or_else(|| broken.clone().filter(|_| !goes_on));
            folder.failure = failure.as_deref().map(Into::into);
            unmet.or(broken).map_or(PluginStatus::On, PluginStatus::Failed)
        };
        let is_told = waiting || defects.iter().any(|defect| defect.severity == Severity::Error);
        if let (Some(reason), false) = (&folder.failure, is_told) {
            let file: Arc<Path> = manifest_path.as_path().into();
            let problem = format!("the plugin `{name}` cannot run, and its guards deny: {reason}");
            defects.push(Defect::of_file(&file, problem, "install what it needs, or remove the plugin"));
        }
        Some(PluginEntry { folder, manifest, config, files, status, defects, settings })
    }
}

impl PluginReader<'_> {
    /// The files of the plugin that somebody trusted, even if they no longer exist.
    fn trusted_within(&self, root: &Path) -> Vec<PathBuf> {
        let (Some(trust), Ok(full)) = (self.trust, std::fs::canonicalize(root)) else { return Vec::new() };
        trust.files_within(root).filter_map(|file| Some(root.join(file.strip_prefix(&full).ok()?))).collect()
    }

    /// Whether the file `.disabled` switches the plugin off. One that nobody trusts switches no guard off.
    fn is_switched_off(&self, root: &Path, waits: bool, defects: &mut Vec<Defect>) -> bool {
        let file = root.join(DISABLED);
        match content(&file, self.trust, waits) {
            Content::Missing => false,
            Content::Bad(..) if !waits => true,
            Content::Text(_) => true,
            Content::Waiting(_) | Content::Bad(..) => {
                let problem = "this file of the project is not trusted, so it does not switch the plugin off";
                let help = "trust it too, or remove it";
                defects.push(Defect::of_file(&file.as_path().into(), problem, help).warning());
                false
            }
        }
    }
}

/// Reads the manifest and the configuration, and collects their defects.
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
    /// Reads a file. If it is invalid, returns its previous content.
    fn read<T: Default>(
        &mut self,
        path: &Path,
        parse: impl FnOnce(&Arc<Path>, &str) -> Result<T, Defect>,
        before: impl FnOnce() -> Option<T>,
    ) -> T {
        let file: Arc<Path> = path.into();
        let defect = match content(path, self.trust, self.waits) {
            Content::Missing => return T::default(),
            Content::Waiting(_) => {
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

/// The name in a manifest, trusted or not.
fn named(manifest: &Path) -> Option<String> {
    let Content::Text(text) = content(manifest, None, false) else { return None };
    Manifest::read(&manifest.into(), &text).ok()?.name
}

fn config(file: &Arc<Path>, text: &str) -> Result<Value, Defect> {
    serde_json::from_str(text).map_err(|error| {
        let problem = format!("this is not JSON: {error}");
        Defect::of_rule(file, error.line(), error.column(), problem, "write an object")
    })
}

/// The scalar values of a configuration, as environment variables for commands.
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

impl PluginEntry {
    pub(in super::super) fn name(&self) -> &str {
        &self.folder.name
    }

    /// The rule files that are in use.
    pub(in super::super) fn sources(&self) -> Vec<Source> {
        if self.status == PluginStatus::Disabled {
            return Vec::new();
        }
        let owner = Arc::new(self.folder.clone());
        let source = |path: &PathBuf| Source {
            path: path.clone(),
            owner: Owner::Plugin(Arc::clone(&owner)),
            dialect: None,
            text: None,
            trusted: None,
        };
        self.files.iter().map(source).collect()
    }

    pub(in super::super) fn status(&self) -> &PluginStatus {
        &self.status
    }

    /// The compiled plugin with the same name. `None` if it should not be installed.
    pub(in super::super) fn compiled(&self) -> Option<Plugin> {
        let plugin = Plugin::new(self.name());
        if self.status == PluginStatus::Disabled {
            return None;
        }
        // An untrusted change of the folder must not remove a guard.
        if self.status == PluginStatus::Waiting {
            return Some(plugin.optional().failed("it does not run until the current content of its files is trusted"));
        }
        let plugin = plugin.config(self.config.clone()).optional();
        let plugin = self.folder.data.iter().fold(plugin, Plugin::data_dir);
        let plugin = self.manifest.version.iter().fold(plugin, Plugin::version);
        Some(self.folder.failure.iter().fold(plugin, |plugin, reason| plugin.failed(&**reason)))
    }

    /// A fingerprint of the manifest, the configuration and the rule files.
    pub(in super::super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?} {:?} {:?} {:?}", self.manifest, self.config, self.files, self.folder).hash(&mut hasher);
        hasher.finish()
    }

    /// A fingerprint of everything that a compiled plugin gets.
    pub(in super::super) fn compiled_fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        // The `Debug` output contains all of it.
        format!("{:?}", self.compiled()).hash(&mut hasher);
        hasher.finish()
    }
}
