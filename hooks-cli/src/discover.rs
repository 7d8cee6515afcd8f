//! Finds the files that Claude Code would read here: settings of the user and the project, and plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hooks_rules::PluginContents;
use serde_json::Value;

use crate::confidence::Confidence;
use crate::paths;

/// The origin of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Named on the command line.
    Named,
    /// Settings of the machine's administrator.
    Managed,
    /// The user's settings.
    User,
    /// The project's settings.
    Project,
    /// The user's settings for the project.
    Local,
    /// A plugin.
    Plugin,
    /// A plugin that the administrator enables.
    ManagedPlugin,
}

impl Origin {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Managed => "managed settings",
            Self::User => "user settings",
            Self::Project => "project settings",
            Self::Local => "local settings",
            Self::Plugin => "plugin",
            Self::ManagedPlugin => "managed plugin",
        }
    }
}

/// The existing files in order of precedence. A plugin is represented by its folder. A project can switch plugins on or
/// off only by a file that somebody trusts.
pub(crate) fn files(project: &Path, trust: &Confidence) -> Vec<(PathBuf, Origin)> {
    let home = paths::config();
    let settings = [
        (home.as_ref().map(|home| home.join("settings.json")), Origin::User),
        (Some(project.join(".claude/settings.json")), Origin::Project),
        (Some(project.join(".claude/settings.local.json")), Origin::Local),
    ];
    let settings = settings.into_iter().filter_map(|(path, origin)| Some((path?, origin)));
    let mut found = managed(&paths::managed());
    found.extend(settings.filter(|(path, _)| path.is_file()));
    // What an administrator switches off, nobody else switches on.
    let mut enabled: BTreeMap<String, (bool, Origin)> = BTreeMap::new();
    for (path, origin) in &found {
        let counts = matches!(origin, Origin::Managed | Origin::User) || trust.allows(path);
        for (name, on) in if counts { enabled_plugins(path) } else { Vec::new() } {
            if !enabled.get(&name).is_some_and(|(on, by)| *on || *by == Origin::Managed) {
                enabled.insert(name, (on, *origin));
            }
        }
    }
    let plugins = home.map(|home| home.join("plugins"));
    let installed = plugins.iter().flat_map(|plugins| installed(&plugins.join("installed_plugins.json"), &enabled));
    let of_project = folders(&project.join(".claude/plugins")).into_iter().map(|root| (root, Origin::Plugin));
    let mut seen = BTreeSet::new();
    // A plugin of commands and skills alone runs nothing here.
    let has_rules = |(root, _): &(PathBuf, Origin)| {
        // Of a plugin whose files were trusted, a changed manifest may leave out the rules.
        let was_trusted = trust.file().is_some_and(|trust| trust.files_within(root).next().is_some());
        PluginContents::read(root).map_or(was_trusted, |plugin| {
            let is_configured = plugin.settings.iter().any(|(path, _)| path.ends_with("config.json"));
            let is_off = plugin.disabled && is_switched_off(root, project, trust);
            let has_any = !plugin.rules.is_empty() || is_configured || !plugin.defects.is_empty();
            !is_off && (has_any || was_trusted)
        })
    };
    found.extend(installed.chain(of_project).filter(has_rules).filter(|(root, _)| seen.insert(root.clone())));
    found
}

/// The administrator's settings in a folder, also those that cannot be read. A file is all of them.
fn managed(folder: &Path) -> Vec<(PathBuf, Origin)> {
    let parts = std::fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
    let mut parts: Vec<PathBuf> = parts.map(|entry| entry.path()).collect();
    parts.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    parts.sort();
    let file = if folder.is_file() { folder.to_owned() } else { folder.join("managed-settings.json") };
    let all = std::iter::once(file).chain(parts);
    all.filter(|path| path.symlink_metadata().is_ok()).map(|path| (path, Origin::Managed)).collect()
}

/// Whether the file `.disabled` of a plugin counts.
fn is_switched_off(root: &Path, project: &Path, trust: &Confidence) -> bool {
    !paths::lies_in(root, project) || trust.allows(&root.join(".disabled"))
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// The plugins that settings switch on or off.
fn enabled_plugins(settings: &Path) -> Vec<(String, bool)> {
    let Some(Value::Object(plugins)) = json(settings).and_then(|mut file| Some(file.get_mut("enabledPlugins")?.take()))
    else {
        return Vec::new();
    };
    plugins.into_iter().filter_map(|(name, on)| Some((name, on.as_bool()?))).collect()
}

/// The folders of the installed plugins that are enabled.
fn installed(list: &Path, enabled: &BTreeMap<String, (bool, Origin)>) -> Vec<(PathBuf, Origin)> {
    let Some(file) = json(list) else { return Vec::new() };
    let of = |(name, (on, by)): (&String, &(bool, Origin))| {
        let mut paths = Vec::new();
        if *on {
            collect(&file["plugins"][name], &mut paths);
        }
        let origin = if *by == Origin::Managed { Origin::ManagedPlugin } else { Origin::Plugin };
        paths.into_iter().map(move |path| (path, origin)).collect::<Vec<_>>()
    };
    enabled.iter().flat_map(of).collect()
}

/// Every `installPath` in an entry of any format.
fn collect(entry: &Value, paths: &mut Vec<PathBuf>) {
    match entry {
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, paths)),
        Value::Object(fields) => paths.extend(fields.get("installPath").and_then(Value::as_str).map(PathBuf::from)),
        _ => {}
    }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
