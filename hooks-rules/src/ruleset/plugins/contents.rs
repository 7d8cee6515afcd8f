//! The files of one plugin, for programs that show, check and trust them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::folder::PluginReader;
use super::status::PluginStatus;
use crate::runner::PluginFolder;
use crate::syntax::Defect;

/// The contents of a plugin's folder. Reading it neither loads the plugin nor creates anything: it is for programs that
/// show, check or trust the files of a plugin.
///
/// ```
/// use hooks_rules::PluginContents;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("plugin.json"), r#"{"name": "guards", "hooks": "rules/shell.json"}"#)?;
/// let contents = PluginContents::read(folder.path()).expect("there is a manifest");
/// assert_eq!(contents.folder.name(), "guards");
/// assert_eq!(contents.rules, [folder.path().join("rules/shell.json")]);
/// assert_eq!(contents.settings[0].0, folder.path().join("plugin.json"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PluginContents {
    /// The plugin, with the name in its manifest and the options in its configuration. If it cannot run here, its guards
    /// deny.
    pub folder: PluginFolder,
    /// Its rule files: `hooks/hooks.json`, those that the manifest names, and the manifest if the rules are in it.
    pub rules: Vec<PathBuf>,
    /// The manifest and the configuration, each with the text that was read.
    pub settings: Vec<(PathBuf, String)>,
    /// Whether a file `.disabled` disables it.
    pub disabled: bool,
    /// Defects of the manifest and the configuration, and requirements that this machine does not meet. Rule files are not
    /// read.
    pub defects: Vec<Defect>,
}

impl PluginContents {
    /// Reads the manifest and the configuration of the plugin in `root`. `None` if there is no manifest, no
    /// `hooks/hooks.json` and no `config.json`.
    pub fn read(root: impl AsRef<Path>) -> Option<Self> {
        let disabled = BTreeSet::new();
        let reading = PluginReader { data: None, project: None, trust: None, disabled: &disabled, before: &[] };
        let found = reading.read(root.as_ref())?;
        let disabled = found.status == PluginStatus::Disabled;
        Some(Self {
            folder: found.folder,
            rules: found.files,
            settings: found.settings,
            disabled,
            defects: found.defects,
        })
    }
}
