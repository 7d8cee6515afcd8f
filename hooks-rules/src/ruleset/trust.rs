use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The rule files of projects that a user trusts, each with a fingerprint of its content. A file that changes is no
/// longer trusted.
///
/// The fingerprint covers the rule file only. The scripts that its rules run can change without affecting it.
///
/// ```
/// use hooks_rules::Trust;
///
/// let folder = tempfile::tempdir()?;
/// let rules = folder.path().join("hooks.json");
/// std::fs::write(&rules, "{}")?;
/// let mut trust = Trust::open(folder.path().join("trust.json"))?;
/// assert!(!trust.allows(&rules, b"{}"));
/// trust.trust(&rules)?;
/// assert!(trust.allows(&rules, b"{}"));
/// assert!(!trust.allows(&rules, b"{ }"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trust {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    files: BTreeMap<String, String>,
}

/// The error of reading or writing a trust file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The trust file, or a file to be trusted, cannot be read or written.
    #[error("{}: {source}", path.display())]
    #[non_exhaustive]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a valid trust file.
    #[error("{}: is not a trust file: {problem}; remove it, and trust each file again", path.display())]
    #[non_exhaustive]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problem of the content.
        problem: String,
    },
}

impl Trust {
    /// The trust file of this person, for every program with rule files: `hooks/trust.json` in the folder for
    /// configuration. `None` if there is no such folder.
    pub fn user_file() -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| home.join(".config"));
        let folder = variable(if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" }).or_else(home)?;
        Some(folder.join("hooks").join("trust.json"))
    }

    /// Opens the trust file. If it does not exist, no file is trusted.
    ///
    /// # Errors
    /// [`TrustError`] if it cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TrustError> {
        let path = path.into();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path, files: BTreeMap::new() });
            }
            Err(source) => return Err(TrustError::Io { path, source }),
        };
        match serde_json::from_str::<Stored>(&text) {
            Ok(stored) if stored.version == 1 => Ok(Self { path, files: stored.files }),
            Ok(stored) => Err(TrustError::Invalid { path, problem: format!("version {} is unknown", stored.version) }),
            Err(error) => Err(TrustError::Invalid { path, problem: error.to_string() }),
        }
    }

    /// Whether this content of the file is trusted.
    pub fn allows(&self, file: &Path, content: &[u8]) -> bool {
        self.files.get(&key(file)).is_some_and(|known| *known == fingerprint(content))
    }

    /// Trusts the current content of the file and saves that. The folder of the trust file is created if necessary.
    ///
    /// # Errors
    /// [`TrustError`] if one of the two files cannot be read or written.
    pub fn trust(&mut self, file: &Path) -> Result<(), TrustError> {
        let content = std::fs::read(file).map_err(|source| TrustError::Io { path: file.to_path_buf(), source })?;
        self.trust_content(file, &content)
    }

    /// Trusts this content of the file and saves that. Use it for content that a user was shown, because the file may
    /// have changed since.
    ///
    /// # Errors
    /// [`TrustError`] if the trust file cannot be written.
    pub fn trust_content(&mut self, file: &Path, content: &[u8]) -> Result<(), TrustError> {
        self.change(|files| {
            files.insert(key(file), fingerprint(content));
        })
    }

    /// Revokes the trust in the file and saves that. Returns whether the file was trusted. The file does not have to
    /// exist.
    ///
    /// # Errors
    /// [`TrustError`] if the trust file cannot be written.
    pub fn revoke(&mut self, file: &Path) -> Result<bool, TrustError> {
        self.change(|files| files.remove(&key(file)).is_some())
    }

    /// The trusted files, each with the fingerprint of the trusted content.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.iter().map(|(file, fingerprint)| (Path::new(file), fingerprint.as_str()))
    }

    /// The trusted files in this folder and its subfolders. The folder does not have to exist.
    pub fn files_within(&self, folder: &Path) -> impl Iterator<Item = &Path> {
        let folder = PathBuf::from(key(folder));
        self.files.keys().map(Path::new).filter(move |file| file.starts_with(&folder) && *file != folder)
    }

    /// The fingerprint of the trusted content of this file.
    pub fn fingerprint(&self, file: &Path) -> Option<&str> {
        self.files.get(&key(file)).map(String::as_str)
    }

    /// Reads the stored state, changes it and writes it. Others may have written it meanwhile, and files that they
    /// revoked must not become trusted again.
    fn change<T>(&mut self, change: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> Result<T, TrustError> {
        let lock = self.lock().map_err(|source| TrustError::Io { path: self.path.clone(), source })?;
        let mut now = Self::open(&self.path)?;
        let changed = change(&mut now.files);
        now.store()?;
        drop(lock);
        *self = now;
        Ok(changed)
    }

    /// Locks the trust file until the lock is dropped. The lock is a separate file, because the trust file itself is
    /// replaced when it is written.
    fn lock(&self) -> std::io::Result<File> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let lock = File::options().create(true).truncate(false).write(true).open(self.path.with_file_name(name))?;
        lock.lock()?;
        Ok(lock)
    }

    fn store(&self) -> Result<(), TrustError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let io = |source| TrustError::Io { path: self.path.clone(), source };
        let stored = Stored { version: 1, files: self.files.clone() };
        let text = serde_json::to_string_pretty(&stored).map_err(|error| io(error.into()))?;
        // Write a new file and rename it, so that a crash leaves the old one intact. Its name is unique among
        // concurrent writers.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let new = self.path.with_extension(format!("{}-{count}.new", std::process::id()));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(|error| {
            let _ = std::fs::remove_file(&new);
            io(error)
        })
    }
}

/// The absolute path of the file, so that the same relative path in another folder is another key. What no longer exists is
/// resolved as far as its folders do.
fn key(file: &Path) -> String {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let resolved = |known: &Path| Some(std::fs::canonicalize(known).ok()?.join(absolute.strip_prefix(known).ok()?));
    let full = absolute.ancestors().find_map(resolved);
    full.as_deref().unwrap_or(&absolute).components().collect::<PathBuf>().to_string_lossy().into_owned()
}

fn fingerprint(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold("sha256:".to_owned(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
