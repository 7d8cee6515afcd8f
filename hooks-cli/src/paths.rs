//! Default paths of files.

use std::path::PathBuf;

/// The user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("HOME").or_else(|| variable("USERPROFILE"))
}
