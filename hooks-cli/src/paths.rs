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

/// The file of a store in SQLite. An address of Postgres, even a mistaken one, may contain a password.
#[cfg(feature = "store")]
pub(crate) fn file_of(url: &str) -> Option<PathBuf> {
    let is_postgres = url.starts_with("postgres:") || url.starts_with("postgresql:");
    let file = url.strip_prefix("sqlite:").map(|file| file.strip_prefix("//").unwrap_or(file));
    file.or_else(|| (!is_postgres && !url.contains("://")).then_some(url)).map(PathBuf::from)
}

/// Whether a path names a pipe, which nobody may ever write to. One that the shell opened, as for `<(…)`, is written to.
#[cfg(unix)]
pub(crate) fn is_a_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let is_open = ["/dev/fd", "/dev/stdin", "/proc"].iter().any(|folder| path.starts_with(folder));
    !is_open && std::fs::metadata(path).is_ok_and(|file| file.file_type().is_fifo())
}

#[cfg(not(unix))]
pub(crate) fn is_a_pipe(_: &Path) -> bool {
    false
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
