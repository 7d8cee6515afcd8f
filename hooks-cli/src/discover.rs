//! Finds the files that Claude Code would read here: settings of the user and the project, and plugins.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hooks_rules::{PluginContents, Trust};
use serde_json::Value;

use crate::paths;

/// The origin of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Named on the command line.
    Named,
    /// The user's settings.
    User,
    /// The project's settings.
    Project,
    /// The user's settings for the project.
    Local,
    /// A plugin.
    Plugin,
}

impl Origin {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::User => "user settings",
            Self::Project => "project settings",
            Self::Local => "local settings",
            Self::Plugin => "plugin",
        }
    }
}

/// The existing files in order of precedence. A plugin is represented by its folder. A project can switch a plugin off
/// only by a file that somebody trusts.
pub(crate) fn files(project: &Path, trust: Option<&Trust>) -> Vec<(PathBuf, Origin)> {
    let home = paths::config();
    let settings = [
        (home.as_ref().map(|home| home.join("settings.json")), Origin::User),
        (Some(project.join(".claude/settings.json")), Origin::Project),
        (Some(project.join(".claude/settings.local.json")), Origin::Local),
    ];
    let mut found: Vec<(PathBuf, Origin)> = settings
        .into_iter()
        .filter_map(|(path, origin)| Some((path?, origin)))
        .filter(|(path, _)| path.is_file())
        .collect();
    let enabled: BTreeSet<String> = found.iter().flat_map(|(path, _)| enabled(path)).collect();
    let plugins = home.map(|home| home.join("plugins"));
    let installed = plugins.iter().flat_map(|plugins| installed(&plugins.join("installed_plugins.json"), &enabled));
    let of_project = folders(&project.join(".claude/plugins"));
    let mut seen = BTreeSet::new();
    // A plugin of commands and skills alone runs nothing here.
    let has_rules = |root: &PathBuf| {
        PluginContents::read(root).is_some_and(|plugin| {
            let is_configured = plugin.settings.iter().any(|(path, _)| path.ends_with("config.json"));
            let is_off = plugin.disabled && is_switched_off(root, project, trust);
            !is_off && (!plugin.rules.is_empty() || is_configured || !plugin.defects.is_empty())
        })
    };
    found.extend(
        installed
            .chain(of_project)
            .filter(has_rules)
            .filter(|root| seen.insert(root.clone()))
            .map(|root| (root, Origin::Plugin)),
    );
    found
}

/// Whether the file `.disabled` of a plugin counts.
fn is_switched_off(root: &Path, project: &Path, trust: Option<&Trust>) -> bool {
    let file = root.join(".disabled");
    let is_trusted = |trust: &Trust| std::fs::read(&file).is_ok_and(|content| trust.allows(&file, &content));
    !paths::lies_in(root, project) || trust.is_some_and(is_trusted)
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// The plugins that settings enable.
fn enabled(settings: &Path) -> Vec<String> {
    let Some(Value::Object(plugins)) = json(settings).and_then(|mut file| Some(file.get_mut("enabledPlugins")?.take()))
    else {
        return Vec::new();
    };
    plugins.into_iter().filter(|(_, on)| *on == Value::Bool(true)).map(|(name, _)| name).collect()
}

/// The folders of the installed plugins that are enabled.
fn installed(list: &Path, enabled: &BTreeSet<String>) -> Vec<PathBuf> {
    let Some(file) = json(list) else { return Vec::new() };
    let of = |name: &String| {
        let mut paths = Vec::new();
        collect(&file["plugins"][name], &mut paths);
        paths
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
