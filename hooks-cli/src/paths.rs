//! Default paths of files.

use std::path::{Path, PathBuf};

/// The user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

/// The folder with the user's settings and plugins.
pub(crate) fn config() -> Option<PathBuf> {
    let named = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(home()?.join(".claude")))
}

/// The folder of the administrator's settings.
pub(crate) fn managed() -> PathBuf {
    let named = std::env::var_os("HOOKS_MANAGED_SETTINGS").filter(|value| !value.is_empty()).map(PathBuf::from);
    named.unwrap_or_else(|| {
        let usual = match std::env::consts::OS {
            "macos" => "/Library/Application Support/ClaudeCode",
            "windows" => r"C:\Program Files\ClaudeCode",
            _ => "/etc/claude-code",
        };
        usual.into()
    })
}

/// Whether a path lies in a folder, as it is written or as the system finds it. Either can contain symbolic links.
pub(crate) fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_default();
    let written = std::path::absolute(path).is_ok_and(|path| path.starts_with(folder));
    written || real(path).starts_with(real(folder))
}

/// The input that an output would overwrite, whatever names they have.
pub(crate) fn overwritten<'a>(output: &Path, mut inputs: impl Iterator<Item = &'a PathBuf>) -> Option<&'a PathBuf> {
    inputs.find(|input| same_file(input, output))
}

/// Hard links are one file with two names.
#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| std::fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    id(one).is_some_and(|one| id(other) == Some(one))
}

#[cfg(not(unix))]
fn same_file(one: &Path, other: &Path) -> bool {
    std::fs::canonicalize(one).is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|other| one == other))
}
