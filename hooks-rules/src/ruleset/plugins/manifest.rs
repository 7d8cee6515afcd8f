//! The manifest of a plugin.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::paths::find_program;
use crate::syntax::Defect;

/// The paths of a manifest: that of this crate, and that of Claude Code.
pub(super) const MANIFESTS: [&str; 2] = ["plugin.json", ".claude-plugin/plugin.json"];

/// The rule file that does not have to be listed.
pub(super) const RULES: &str = "hooks/hooks.json";

/// The content of a manifest. Other keys are for other programs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in super::super) struct Manifest {
    pub(super) name: Option<String>,
    pub(in super::super) version: Option<String>,
    pub(in super::super) description: Option<String>,
    hooks: Option<RuleFiles>,
    pub(super) needs: Needs,
}

/// The rule files besides the default one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "`hooks` is a path, a list of paths, or the rules themselves")]
enum RuleFiles {
    One(PathBuf),
    Many(Vec<PathBuf>),
    Here(Map<String, Value>),
}

/// The requirements of a plugin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Needs {
    /// Plugins in the same folders, which are loaded first.
    pub(super) plugins: Vec<String>,
    programs: Vec<String>,
    variables: Vec<String>,
}

impl Manifest {
    /// Parses a manifest.
    pub(super) fn read(file: &Arc<Path>, text: &str) -> Result<Self, Defect> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| {
            let help =
                "write `{\"name\": \"…\", \"version\": \"…\", \"hooks\": [\"…\"], \"needs\": {\"programs\": [\"…\"]}}`";
            Defect::of_rule(file, error.line(), error.column(), format!("this is not a valid manifest: {error}"), help)
        })?;
        let wrong = |problem: String, help| Err(Defect::of_file(file, problem, help));
        if let Some(name) = manifest.name.as_ref().filter(|name| !is_name(name)) {
            return wrong(format!("`{name}` is not a valid name of a plugin"), NAME_HELP);
        }
        if let Some(path) = manifest.named().iter().find(|path| !stays_within(path)) {
            let problem = format!("`{}` leads out of the plugin's folder", path.display());
            return wrong(problem, "name a file within the folder");
        }
        Ok(manifest)
    }

    fn named(&self) -> &[PathBuf] {
        match &self.hooks {
            Some(RuleFiles::One(path)) => std::slice::from_ref(path),
            Some(RuleFiles::Many(paths)) => paths,
            Some(RuleFiles::Here(_)) | None => &[],
        }
    }

    /// The rule files of the plugin with the folder `root` and the manifest `manifest`.
    pub(super) fn files(&self, root: &Path, manifest: &Path) -> Vec<PathBuf> {
        let usual = root.join(RULES);
        let mut files: Vec<PathBuf> = Some(usual).filter(|file| file.exists()).into_iter().collect();
        for path in self.named() {
            let path: PathBuf = root.join(path).components().collect();
            if !files.contains(&path) {
                files.push(path);
            }
        }
        if let Some(RuleFiles::Here(rules)) = &self.hooks
            && !rules.is_empty()
        {
            files.push(manifest.to_path_buf());
        }
        files
    }
}

impl Needs {
    /// The first requirement that this machine does not meet.
    pub(super) fn unmet(&self) -> Option<String> {
        let program = self.programs.iter().find(|program| find_program(program).is_none());
        let variable = self.variables.iter().find(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()));
        let program = program.map(|program| format!("it needs the program `{program}`, which does not exist"));
        program.or_else(|| Some(format!("it needs the variable `{}`, which is not set", variable?)))
    }
}

/// The rule for names, as a suggestion.
pub(super) const NAME_HELP: &str = "write letters, digits, `-`, `_` and `.`; the name does not begin with `.`";

/// Whether this is a valid name of a plugin. The data folder has the same name, so the name must not lead elsewhere.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn stays_within(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
