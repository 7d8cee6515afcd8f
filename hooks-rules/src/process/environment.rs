//! The environment of a command: variables and working directory.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Which environment variables of this process a command inherits: all except `OTEL_*`, as the contract requires, and
/// those that the app withholds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// Whether to withhold variables that look like credentials by their name.
    pub(crate) withhold_credentials: bool,
    /// Names to withhold.
    pub(crate) withhold: Vec<String>,
    /// Names to keep nevertheless.
    pub(crate) keep: Vec<String>,
    /// The folder of the project.
    pub(crate) project: PathBuf,
    /// Variables that the app adds.
    pub(crate) set: BTreeMap<String, String>,
}

/// The environment of one run, in addition to that of this process.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandContext {
    pub(crate) cwd: PathBuf,
    /// `CLAUDE_…` variables, by name.
    pub(crate) variables: BTreeMap<String, String>,
}

/// Parts of names that indicate a secret.
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

/// Variables with which a host describes the session to its scripts.
const OF_A_HOST: &[&str] =
    &["CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_BRIDGE_SESSION_ID"];

impl Environment {
    /// The names of variables of this process that the app withholds from commands.
    pub(crate) fn withheld(&self) -> Vec<String> {
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        let mut withheld: Vec<String> = names.filter(|name| self.withholds(name)).collect();
        withheld.sort_unstable();
        withheld
    }

    /// The names of variables that commands do not inherit.
    pub(crate) fn removed(&self) -> impl Iterator<Item = OsString> {
        let removes = |name: &str| self.withholds(name) || self.belongs_to_a_host(name);
        std::env::vars_os().map(|(name, _)| name).filter(move |name| removes(&name.to_string_lossy()))
    }

    fn withholds(&self, name: &str) -> bool {
        let upper = name.to_ascii_uppercase();
        let is_credential =
            || SECRET.iter().any(|part| upper.contains(part)) || upper.ends_with("_KEY") || upper.ends_with("_PAT");
        let is_meant = self.withhold.iter().any(|own| own == name) || (self.withhold_credentials && is_credential());
        is_meant && !self.keep.iter().any(|kept| kept == name)
    }

    /// If this program is itself a script of a host, the host's variables do not apply to its commands.
    fn belongs_to_a_host(&self, name: &str) -> bool {
        let is_of_a_host = name.starts_with("CLAUDE_PLUGIN_") || OF_A_HOST.contains(&name);
        name.to_ascii_uppercase().starts_with("OTEL_") || (is_of_a_host && !self.keep.iter().any(|kept| kept == name))
    }

    /// The working directory of a run: that of the session, or the project, or any that exists. It is absolute, so that
    /// it means the same to every script.
    pub(crate) fn folder(&self, cwd: Option<&Path>) -> PathBuf {
        let wanted = cwd.into_iter().chain([self.project.as_path()]);
        let there = wanted.filter_map(|folder| std::path::absolute(folder).ok()).find(|folder| folder.is_dir());
        there.or_else(|| std::env::current_dir().ok()).unwrap_or_else(std::env::temp_dir)
    }
}

impl CommandContext {
    /// `text` with `${NAME}` replaced by these variables, as literal text. Unknown names stay unchanged.
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
    fn credentials_are_withheld_where_the_app_says_so_and_otel_always() {
        let table = [
            ("OPENAI_API_KEY", true),
            ("AWS_SECRET_ACCESS_KEY", true),
            ("AWS_ACCESS_KEY_ID", true),
            ("GITHUB_TOKEN", true),
            ("github_token", true),
            ("DB_PASSWORD", true),
            ("GH_PAT", true),
            ("SIGNING_KEY", true),
            ("DEPLOY_TOKEN", false),
            ("DATABASE_URL", true),
            ("PATH", false),
            ("HOME", false),
            ("KEYBOARD", false),
            ("SSH_AUTH_SOCK", false),
            ("CLAUDE_CONFIG_DIR", false),
        ];
        let environment = Environment {
            withhold_credentials: true,
            withhold: vec!["DATABASE_URL".to_owned()],
            keep: vec!["DEPLOY_TOKEN".to_owned()],
            ..Environment::default()
        };
        for (name, withheld) in table {
            assert_eq!(environment.withholds(name), withheld, "{name}");
            assert!(!Environment::default().withholds(name), "{name}");
        }
        for (name, removed) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", true),
            ("CLAUDE_PROJECT_DIR", true),
            ("CLAUDE_PLUGIN_ROOT", true),
            ("CLAUDE_PLUGIN_OPTION_LEVEL", true),
            ("CLAUDE_EFFORT", true),
            ("CLAUDE_TOKEN_BUDGET", false),
        ] {
            assert_eq!(Environment::default().belongs_to_a_host(name), removed, "{name}");
        }
    }
}
