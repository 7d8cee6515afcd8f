use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

/// The status of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginStatus {
    /// It runs.
    On,
    /// It was disabled, by [`Rules::disable_plugin`](crate::Rules::disable_plugin) or by a file `.disabled` in its folder.
    Disabled,
    /// It belongs to the project, and does not run until the current content of its files is trusted.
    Waiting,
    /// It is invalid, for this reason. The last valid version stays in use, so that a guard does not disappear while it
    /// is being edited. If there is none, or a requirement is missing, the guards of the compiled plugin and its rules
    /// that could be read deny, and its other hooks are left out.
    Failed(String),
}

impl PluginStatus {
    /// Whether a part of it is in use.
    pub(super) fn runs(&self) -> bool {
        matches!(self, Self::On | Self::Failed(_))
    }
}

/// A plugin of a folder, for listings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginInfo {
    /// The name in its manifest, or else the name of its folder.
    pub name: String,
    /// The version in its manifest.
    pub version: Option<String>,
    /// The description in its manifest.
    pub description: Option<String>,
    /// Its folder.
    pub root: PathBuf,
    /// The folder for its data.
    pub data: Option<PathBuf>,
    /// The status.
    pub status: PluginStatus,
}

/// A change of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginChange {
    /// The plugin.
    pub plugin: String,
    /// The change.
    pub step: PluginStep,
}

/// The kind of a plugin's change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginStep {
    /// It was added.
    Loaded,
    /// It was reloaded.
    Reloaded,
    /// It was disabled.
    Disabled,
    /// It is not trusted.
    Waiting,
    /// It is invalid. [`PluginStatus::Failed`] describes the consequences.
    Failed(String),
    /// It was removed.
    Removed,
}

impl fmt::Display for PluginChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = &self.plugin;
        match &self.step {
            PluginStep::Loaded => write!(f, "the plugin `{plugin}` was loaded"),
            PluginStep::Reloaded => write!(f, "the plugin `{plugin}` was loaded again"),
            PluginStep::Disabled => write!(f, "the plugin `{plugin}` is switched off"),
            PluginStep::Waiting => write!(f, "the plugin `{plugin}` does not run until its files are trusted"),
            PluginStep::Failed(reason) => write!(f, "the plugin `{plugin}` failed: {reason}"),
            PluginStep::Removed => write!(f, "the plugin `{plugin}` was removed"),
        }
    }
}

/// Called for each change.
pub(in super::super) type PluginListener = Arc<dyn Fn(&PluginChange) + Send + Sync>;

/// The state of each plugin that was last reported: the fingerprint of its files, and its status.
pub(in super::super) type PluginStates = BTreeMap<String, (u64, PluginStatus)>;
