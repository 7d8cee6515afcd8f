//! Rules from files, beside the desk's own hooks: commands that somebody may add without a build.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::scope::HookUse;
use hooks_core::{ConfigError, Registry};
use hooks_rules::{Rules, RulesBuilder};
use tempfile::TempDir;

use crate::desk::DeskError;

/// The rules of a desk, and the files in which their scripts read the conversations. Those are gone with the desk.
#[derive(Clone, Debug)]
pub struct FileRules {
    rules: Rules,
    _conversations: Arc<TempDir>,
}

impl FileRules {
    /// The rules in `files`, whose scripts find the folder of the first one as `CLAUDE_PROJECT_DIR`, and the `plugins` of a folder.
    ///
    /// # Errors
    /// [`DeskError`] with everything that is wrong in the files: a rule that is left out would not be missed.
    pub fn read(files: &[PathBuf], plugins: Option<&Path>) -> Result<Self, DeskError> {
        if let Some(missing) = plugins.filter(|folder| !folder.is_dir()) {
            return Err(DeskError::Rules(format!("{}: there is no such folder", missing.display())));
        }
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            return Err(DeskError::Rules(format!("{}: there is no such file", missing.display())));
        }
        let folder = files.first().and_then(|file| file.canonicalize().ok()?.parent().map(Path::to_owned));
        let conversations = tempfile::tempdir().map_err(|error| DeskError::Rules(error.to_string()))?;
        let builder = Rules::builder().project_dir(folder.unwrap_or_default()).session_files(conversations.path());
        // Who says `--trust` has looked at the plugins too. Their data are gone with the desk.
        let builder = builder.trust_all().plugin_data(conversations.path().join("data"));
        let builder = plugins.into_iter().fold(builder, RulesBuilder::plugins);
        let rules = files.iter().fold(builder, RulesBuilder::settings).build();
        match rules.defects().as_slice() {
            [] => Ok(Self { rules, _conversations: Arc::new(conversations) }),
            defects => {
                let told: Vec<String> = defects.iter().map(ToString::to_string).collect();
                Err(DeskError::Rules(told.join("\n")))
            }
        }
    }

    /// What belongs into the app's list.
    ///
    /// # Errors
    /// [`ConfigError`] where a hook of the desk has an id of the rules.
    pub fn install(&self, registry: &Registry) -> Result<Vec<HookUse>, ConfigError> {
        self.rules.install(registry)
    }

    /// Waits a moment for commands that nobody waited for.
    pub async fn close(&self) {
        self.rules.shutdown(Duration::from_secs(5)).await;
    }
}
