//! The destination of transcripts: a file that is replaced atomically, or standard output.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// An open destination.
#[derive(Debug)]
pub struct Output(Place);

#[derive(Debug)]
enum Place {
    Nowhere,
    Stdout(BufWriter<io::Stdout>),
    /// Not a regular file, for example a pipe. It cannot be replaced.
    Device(BufWriter<File>),
    /// A temporary file in the same folder, which replaces the file at the end.
    Whole {
        part: BufWriter<NamedTempFile>,
        file: PathBuf,
    },
}

impl Output {
    /// Opens `file`. `-` is standard output, and `None` discards the output.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(file: Option<&Path>) -> io::Result<Self> {
        Ok(Self(match file {
            None => Place::Nowhere,
            Some(file) if file.as_os_str() == "-" => Place::Stdout(BufWriter::new(io::stdout())),
            Some(file) => match fs::canonicalize(file) {
                Ok(real) if real.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
                Ok(real) if !real.is_file() => Place::Device(BufWriter::new(File::options().write(true).open(real)?)),
                // If it is a symbolic link, its target is replaced.
                Ok(real) => part_of(real)?,
                Err(_) => part_of(file.to_owned())?,
            },
        }))
    }

    /// The writer. `None` if the output is discarded.
    pub fn writer(&mut self) -> Option<&mut dyn Write> {
        match &mut self.0 {
            Place::Nowhere => None,
            Place::Stdout(out) => Some(out),
            Place::Device(out) => Some(out),
            Place::Whole { part, .. } => Some(part),
        }
    }

    /// Replaces the file. Without this call, the file does not change.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Place::Nowhere => Ok(()),
            Place::Stdout(mut out) => out.flush(),
            Place::Device(mut out) => out.flush(),
            Place::Whole { part, file } => {
                let part = part.into_inner().map_err(io::IntoInnerError::into_error)?;
                part.as_file().sync_all()?;
                part.persist(file).map_err(|error| error.error)?;
                Ok(())
            }
        }
    }
}

/// In the same folder, because a file cannot be renamed across file systems.
fn part_of(file: PathBuf) -> io::Result<Place> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = new_part(&file).tempfile_in(folder)?;
    Ok(Place::Whole { part: BufWriter::new(part), file })
}

/// With the permissions of the file that it replaces, or the default ones.
fn new_part(file: &Path) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".airline-desk-").suffix(".part");
    let permissions = fs::metadata(file).map(|metadata| metadata.permissions()).ok();
    #[cfg(unix)]
    let permissions = permissions.or_else(|| Some(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    #[cfg(unix)]
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    #[cfg(not(unix))]
    let _ = permissions;
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_completely_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.jsonl");
        fs::write(&file, "old").unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();

        let mut cut_off = Output::open(Some(&file)).unwrap();
        cut_off.writer().unwrap().write_all(b"half").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        drop(cut_off);
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), files()), ("old", 1));

        let mut output = Output::open(Some(&file)).unwrap();
        output.writer().unwrap().write_all(b"whole").unwrap();
        output.finish().unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), files()), ("whole", 1));
    }
}
