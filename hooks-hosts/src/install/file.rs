//! Replacing a file that belongs to other people.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

pub(super) fn read(file: &Path) -> Result<Option<String>, InstallError> {
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| InstallError::of(file, error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(file).is_err() => Ok(None),
        Err(error) => Err(InstallError::of(file, error.to_string())),
    }
}

/// Puts what `next` makes of a file in its place; `None` is no file. `Some` says whether there is one, if it has changed.
pub(super) fn change(
    file: &Path,
    runs: bool,
    next: impl Fn(Option<&str>) -> Result<Option<String>, String>,
) -> Result<Option<bool>, InstallError> {
    for _ in 0..100 {
        let before = read(file)?;
        let after = next(before.as_deref()).map_err(|problem| InstallError::of(file, problem))?;
        if before == after && (!runs || is_runnable(file)) {
            return Ok(None);
        }
        let put = put(file, before.as_deref(), after.as_deref(), runs);
        if put.map_err(|error| InstallError::of(file, error.to_string()))? {
            return Ok(Some(after.is_some()));
        }
    }
    Err(InstallError::of(file, "somebody else changes it all the time"))
}

/// Writes beside the file, and then puts that in its place, unless that is another one by now. A link stays, and what it leads
/// to is replaced.
fn put(file: &Path, before: Option<&str>, after: Option<&str>, runs: bool) -> io::Result<bool> {
    let target = if file.exists() { fs::canonicalize(file)? } else { file.to_owned() };
    fs::create_dir_all(target.parent().unwrap_or(Path::new(".")))?;
    let permissions = fs::metadata(&target).ok().map(|meta| meta.permissions());
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = target.with_file_name(format!(".{name}.hooks-new"));
    let mut new = claimed(&beside)?;
    let done = (|| {
        new.write_all(after.unwrap_or_default().as_bytes())?;
        let mut permissions = permissions.map_or_else(|| new.metadata().map(|meta| meta.permissions()), Ok)?;
        if runs {
            permissions = runnable(permissions);
        }
        fs::set_permissions(&beside, permissions)?;
        new.sync_all()?;
        if read(&target).map_err(|error| io::Error::other(error.problem))?.as_deref() != before {
            return Ok(false);
        }
        if after.is_some() { fs::rename(&beside, &target) } else { fs::remove_file(file) }.map(|()| true)
    })();
    if after.is_none() || !matches!(done, Ok(true)) {
        let _ = fs::remove_file(&beside);
    }
    done
}

/// The new file, as soon as nobody else writes one.
fn claimed(beside: &Path) -> io::Result<File> {
    let since = Instant::now();
    loop {
        match OpenOptions::new().write(true).create_new(true).open(beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened,
        }
        if since.elapsed() > Duration::from_secs(10) {
            let why = format!("another installation is at work; if there is none, delete {}", beside.display());
            return Err(io::Error::other(why));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn is_runnable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.permissions() == runnable(meta.permissions()))
}

/// The permissions of a file that its owner can run.
#[cfg(unix)]
fn runnable(mut permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    if permissions.mode() & 0o100 == 0 {
        permissions.set_mode(permissions.mode() | 0o111);
    }
    permissions
}

#[cfg(not(unix))]
fn runnable(permissions: Permissions) -> Permissions {
    permissions
}

/// A file of a host could not be changed. It is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub problem: String,
}

impl InstallError {
    pub(super) fn of(file: &Path, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), problem: problem.into() }
    }
}

impl std::fmt::Display for InstallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; the file is as it was", self.file.display(), self.problem)
    }
}

impl std::error::Error for InstallError {}
