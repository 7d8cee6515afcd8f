//! A file that replaces another one as soon as it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written beside its place, and put there when it is whole. Until then, and if it is dropped before, its place
/// is as it was. A new file can be read by its owner only, as a recording can; another one keeps its permissions.
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<File>,
    /// Where it is, and where it goes. `None` for what is no file, such as a terminal: it gets what is written at once.
    moves: Option<(PathBuf, PathBuf)>,
}

impl NewFile {
    /// Begins a file for `path`. A link stays, and what it leads to is replaced.
    ///
    /// # Errors
    /// If there is a file that must not be written, or no file can be created beside it.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = path.as_ref();
        let there = fs::metadata(path).ok();
        if let Some(there) = &there {
            // Whoever may not write it may not replace it either.
            let file = OpenOptions::new().write(true).open(path)?;
            if !there.is_file() {
                return Ok(Self { file: BufWriter::new(file), moves: None });
            }
        }
        let to = fs::canonicalize(path).or_else(|_| beyond(path))?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        let beside = to.with_file_name(format!(".{name}.{}-{count}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&beside)?;
        let new = Self { file: BufWriter::new(file), moves: Some((beside.clone(), to)) };
        if let Some(there) = there {
            fs::set_permissions(&beside, there.permissions())?;
        }
        Ok(new)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the rest cannot be written, or the file cannot be moved.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((beside, to)) = &self.moves {
            self.file.get_ref().sync_all()?;
            fs::rename(beside, to)?;
        }
        self.moves = None;
        Ok(())
    }
}

/// What a link leads to that is not there yet, or the path itself.
fn beyond(path: &Path) -> io::Result<PathBuf> {
    match fs::read_link(path) {
        Ok(target) => Ok(path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target))),
        Err(_) => std::path::absolute(path),
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((beside, _)) = self.moves.take() {
            // What is left there is in nobody's way.
            let _ = fs::remove_file(beside);
        }
    }
}
