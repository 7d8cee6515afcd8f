//! Where files are when nobody says so.

use std::path::PathBuf;

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The person's home.
pub(crate) fn home() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

/// The file that says what is trusted: `hooks/trust.json` where the person keeps settings.
pub(crate) fn trust_file() -> Option<PathBuf> {
    let folder = if cfg!(windows) { variable("APPDATA") } else { variable("XDG_CONFIG_HOME") };
    let folder = folder.or_else(|| home().map(|home| home.join(".config")))?;
    Some(folder.join("hooks").join("trust.json"))
}
