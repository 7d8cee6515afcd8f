//! Default paths of files.

use std::path::PathBuf;

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

/// The default trust file: `hooks/trust.json` in the user's configuration folder.
pub(crate) fn trust_file() -> Option<PathBuf> {
    let folder = if cfg!(windows) { variable("APPDATA") } else { variable("XDG_CONFIG_HOME") };
    let folder = folder.or_else(|| home().map(|home| home.join(".config")))?;
    Some(folder.join("hooks").join("trust.json"))
}
