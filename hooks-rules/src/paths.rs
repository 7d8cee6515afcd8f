//! Normalises paths.

use std::path::{Component, Path, PathBuf};

/// The absolute path without `~`, `.` and `..`, so that a script can compare its beginning with a folder.
///
/// The part before a `..` is resolved first, as the system does: after a symbolic link, `..` is the parent of the
/// link's target.
pub(crate) fn full(cwd: &Path, path: &str) -> PathBuf {
    let mut full = PathBuf::new();
    for part in cwd.join(at_home(path)).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                full = std::fs::canonicalize(&full).unwrap_or(full);
                full.pop();
            }
            part => full.push(part),
        }
    }
    full
}

/// The absolute path. Commands run in other folders than this program, where a relative path would be wrong.
#[cfg(feature = "runner")]
pub(crate) fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// The path with all symbolic links resolved, as far as the file or its parents exist.
pub(crate) fn real(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut missing = Vec::new();
    let mut there = full.as_path();
    loop {
        if let Ok(found) = std::fs::canonicalize(there) {
            return missing.iter().rev().fold(found, |path, part| path.join(part));
        }
        match (there.parent(), there.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                there = parent;
            }
            _ => return path.to_path_buf(),
        }
    }
}

/// Whether a path lies in a folder: as it is written, or where the system finds it. A link within the folder may lead out of it.
#[cfg(feature = "runner")]
pub(crate) fn lies_in(path: &Path, folder: &Path) -> bool {
    let folder = real(folder);
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.ancestors().any(|above| real(above).starts_with(&folder))
}

/// The file of a program that a shell would start.
#[cfg(feature = "runner")]
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.exists());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// `~` is the home of who runs this.
fn at_home(path: &str) -> PathBuf {
    let home = || std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    match path.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| path.into()),
        Some(rest) if rest.starts_with('/') => {
            home().map_or_else(|| path.into(), |home| home.join(rest.trim_start_matches('/')))
        }
        _ => path.into(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_full_and_plain() {
        let home = std::env::var("HOME").unwrap_or_default();
        let table = [
            ("src/lib.rs", "/repo/src/lib.rs".to_owned()),
            ("./a", "/repo/a".to_owned()),
            ("src/../../etc/passwd", "/etc/passwd".to_owned()),
            ("/etc/passwd", "/etc/passwd".to_owned()),
            ("/repo/src/../secret", "/repo/secret".to_owned()),
            ("../../..", "/".to_owned()),
            ("~/a", format!("{home}/a")),
            ("~//a", format!("{home}/a")),
            ("~", home.clone()),
            ("~me/a", "/repo/~me/a".to_owned()),
        ];
        for (path, expected) in table {
            assert_eq!(full(Path::new("/repo"), path), Path::new(&expected), "{path}");
        }
    }

    #[test]
    fn behind_a_link_the_folder_above_is_that_of_what_it_names() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = std::fs::canonicalize(folder.path())?;
        std::fs::create_dir_all(root.join("far/inner"))?;
        std::os::unix::fs::symlink(root.join("far/inner"), root.join("link"))?;
        assert_eq!(full(&root, "link/../secret"), root.join("far/secret"));
        assert_eq!(full(&root, "link/secret"), root.join("link/secret"));
        assert_eq!(real(&root.join("link/new/file")), root.join("far/inner/new/file"));
        Ok(())
    }
}
