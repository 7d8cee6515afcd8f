//! Rule files, whose commands run in addition to the desk's own hooks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::scope::HookUse;
use hook_sdk::{ConfigError, Registry};
use hooks_rules::{Rules, RulesBuilder};
use tempfile::TempDir;

use crate::desk::DeskError;

/// The rules of a desk, and a temporary folder with the transcripts for their scripts.
#[derive(Clone, Debug)]
pub struct FileRules {
    rules: Rules,
    _conversations: Arc<TempDir>,
}

impl FileRules {
    /// Reads the rules in `files` and the `plugins` of a folder. `CLAUDE_PROJECT_DIR` is the folder of the first file.
    ///
    /// # Errors
    /// [`DeskError`] with all defects: a missing rule could go unnoticed.
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
        // `--trust` includes the plugins. Their data is temporary.
        let builder = builder.trust_all().plugin_data(conversations.path().join("data"));
        let builder = plugins.into_iter().fold(builder, RulesBuilder::plugins);
        let rules = files.iter().fold(builder, RulesBuilder::settings).build();
        match rules.defects().as_slice() {
            [] => Ok(Self { rules, _conversations: Arc::new(conversations) }),
            defects => {
                let messages: Vec<String> = defects.iter().map(ToString::to_string).collect();
                Err(DeskError::Rules(messages.join("\n")))
            }
        }
    }

    /// Returns the entries for the app's list.
    ///
    /// # Errors
    /// [`ConfigError`] if a hook of the desk has the id of a hook of the rules.
    pub fn install(&self, registry: &Registry) -> Result<Vec<HookUse>, ConfigError> {
        self.rules.install(registry)
    }

    /// Waits a moment for background commands.
    pub async fn close(&self) {
        self.rules.shutdown(Duration::from_secs(5)).await;
    }
}
