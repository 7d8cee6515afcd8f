//! What a command finds around it: variables and the current folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Which variables of this process a command may see.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// Whether names that look like those of credentials are left out.
    pub(crate) scrub: bool,
    /// Names that are kept all the same.
    pub(crate) keep: Vec<String>,
    /// The folder in which the session began.
    pub(crate) project: PathBuf,
    /// What the app adds.
    pub(crate) set: BTreeMap<String, String>,
}

/// What one run has besides the variables of this process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    pub(crate) cwd: PathBuf,
    /// `CLAUDE_…`, by name.
    pub(crate) variables: BTreeMap<String, String>,
}

/// Parts of names that stand for something secret.
const SECRET: &[&str] = &[
    "API_KEY",
    "APIKEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "PRIVATE_KEY",
    "ACCESS_KEY",
];

/// Variables by which a host tells its scripts of the session.
const OF_A_HOST: &[&str] =
    &["CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_BRIDGE_SESSION_ID"];

impl Environment {
    /// The names in this process's environment that a command must not see.
    pub(crate) fn removed(&self) -> Vec<OsString> {
        std::env::vars_os().map(|(name, _)| name).filter(|name| self.removes(&name.to_string_lossy())).collect()
    }

    fn removes(&self, name: &str) -> bool {
        let upper = name.to_ascii_uppercase();
        if upper.starts_with("OTEL_") {
            return true;
        }
        // What a host says to its scripts is not what this one says, where this program is one of them.
        if name.starts_with("CLAUDE_PLUGIN_") || OF_A_HOST.contains(&name) {
            return !self.keep.iter().any(|kept| kept == name);
        }
        let secret =
            SECRET.iter().any(|part| upper.contains(part)) || upper.ends_with("_KEY") || upper.ends_with("_PAT");
        self.scrub && secret && !self.keep.iter().any(|kept| kept == name)
    }

    /// The folder for a run: where the session is, or where it began, or any that is there. A full path, which means the same
    /// to every script.
    pub(crate) fn folder(&self, cwd: Option<&Path>) -> PathBuf {
        let wanted = cwd.into_iter().chain([self.project.as_path()]);
        let there = wanted.filter_map(|folder| std::path::absolute(folder).ok()).find(|folder| folder.is_dir());
        there.or_else(|| std::env::current_dir().ok()).unwrap_or_else(std::env::temp_dir)
    }
}

impl Surroundings {
    /// `text` with `${NAME}` filled from these variables, as plain text; others stay as they are.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.variables.iter().fold(text.to_owned(), |text, (name, value)| {
            let text = match name.strip_prefix("CLAUDE_PLUGIN_OPTION_") {
                Some(option) => text.replace(&format!("${{user_config.{option}}}"), value),
                None => text,
            };
            text.replace(&format!("${{{name}}}"), value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_left_out() {
        let environment = Environment {
            scrub: true,
            keep: vec!["DEPLOY_TOKEN".to_owned()],
            project: PathBuf::new(),
            set: BTreeMap::new(),
        };
        let table = [
            ("OPENAI_API_KEY", true),
            ("AWS_SECRET_ACCESS_KEY", true),
            ("AWS_ACCESS_KEY_ID", true),
            ("GITHUB_TOKEN", true),
            ("github_token", true),
            ("DB_PASSWORD", true),
            ("GH_PAT", true),
            ("SIGNING_KEY", true),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", true),
            ("DEPLOY_TOKEN", false),
            ("PATH", false),
            ("HOME", false),
            ("KEYBOARD", false),
            ("SSH_AUTH_SOCK", false),
            ("CLAUDE_PROJECT_DIR", true),
            ("CLAUDE_PLUGIN_ROOT", true),
            ("CLAUDE_PLUGIN_OPTION_LEVEL", true),
            ("CLAUDE_EFFORT", true),
            ("CLAUDE_CONFIG_DIR", false),
        ];
        for (name, removed) in table {
            assert_eq!(environment.removes(name), removed, "{name}");
        }
        let open = Environment { scrub: false, ..environment };
        assert!(!open.removes("OPENAI_API_KEY") && open.removes("OTEL_X"));
    }
}
