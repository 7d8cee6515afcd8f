//! The files of a session that scripts read and write.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// A folder with two files per session: the transcript, and the exported variables. Only the current user can read
/// them.
#[derive(Clone, Debug)]
pub(crate) struct SessionFiles {
    folder: PathBuf,
}

impl SessionFiles {
    pub(crate) fn new(folder: PathBuf) -> Self {
        // Scripts run in other folders than this program.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Self { folder }
    }

    /// Returns the path of a conversation's transcript, and creates the file if necessary.
    pub(crate) fn transcript(&self, conversation: &str) -> io::Result<PathBuf> {
        self.made(conversation, "jsonl")
    }

    /// Returns the path of the file for exported variables, and creates the file if necessary. `anew` empties it.
    pub(crate) fn exports(&self, session: &str, anew: bool) -> io::Result<PathBuf> {
        let path = self.made(session, "sh")?;
        if anew {
            Self::open(&path)?.set_len(0)?;
        }
        Ok(path)
    }

    /// Like [`exports`](Self::exports), but only if scripts have written to the file.
    pub(crate) fn exported(&self, session: &str) -> Option<PathBuf> {
        let path = self.path(session, "sh");
        std::fs::metadata(&path).is_ok_and(|file| file.len() > 0).then_some(path)
    }

    /// Saves a text of a session and returns its path.
    pub(crate) fn keep(&self, session: &str, text: &str) -> io::Result<PathBuf> {
        let fingerprint = Sha256::digest(text).iter().take(4).fold(0_u32, |hash, byte| hash << 8 | u32::from(*byte));
        let path = self.made(session, &format!("{fingerprint:08x}.txt"))?;
        let file = Self::open(&path)?;
        file.set_len(0)?;
        (&file).write_all(text.as_bytes())?;
        Ok(path)
    }

    /// Opens a file for appending.
    pub(crate) fn open(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    fn made(&self, id: &str, extension: &str) -> io::Result<PathBuf> {
        let mut folder = std::fs::DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.folder)?;
        let path = self.path(id, extension);
        Self::open(&path)?;
        Ok(path)
    }

    fn path(&self, id: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", name(id)))
    }
}

/// The file name for a session: its id if that is a valid name, otherwise the valid part of it with a fingerprint, so
/// that no two sessions share a file.
fn name(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !id.is_empty() && id.len() <= 100 && id.chars().all(is_plain) {
        return id.to_owned();
    }
    let kept: String = id.chars().map(|c| if is_plain(c) { c } else { '_' }).take(60).collect();
    let fingerprint = Sha256::digest(id).iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte));
    format!("_{kept}.{fingerprint:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even on a case-insensitive file system.
    #[test]
    fn no_two_sessions_share_a_name() {
        let long = "x".repeat(200);
        let longer = "x".repeat(201);
        let ids = ["s-1", "S-1", "s/1", "s_1", "", "session", "..", "../s", "ß", "ä", &long, &longer];
        let names: std::collections::BTreeSet<String> = ids.iter().map(|id| name(id).to_lowercase()).collect();
        assert_eq!(names.len(), ids.len(), "{names:?}");
        assert!(
            names.iter().all(|name| name.len() <= 100 && !name.contains('/') && !name.starts_with('.')),
            "{names:?}"
        );
    }
}
