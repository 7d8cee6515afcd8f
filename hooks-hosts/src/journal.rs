//! The log of answers: one line each, without arguments and texts of payloads; what hooks and scripts say of a failure is in
//! it. `doctor` reads when a host has called last.

use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hook_sdk::record::redacted;
use serde::{Deserialize, Serialize};

use crate::answer::HostAnswer;

/// A longer log is put aside.
const LONGEST: u64 = 1 << 20;

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Seconds since 1970.
    pub(crate) at: u64,
    /// The path of this program.
    pub(crate) program: PathBuf,
    /// Where the host has started it.
    #[serde(default)]
    pub(crate) folder: PathBuf,
    pub(crate) host: String,
    pub(crate) event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    pub(crate) millis: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
}

impl Entry {
    pub(crate) fn new(host: &str, event: &str, answer: &HostAnswer, took: Duration) -> Self {
        Self {
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            program: std::env::current_exe().unwrap_or_default(),
            folder: std::env::current_dir().unwrap_or_default(),
            host: host.to_owned(),
            event: event.to_owned(),
            version: None,
            millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            // What a hook says about its failure may quote a payload.
            warnings: answer.warnings.iter().map(|text| redacted(text)).collect(),
            failure: answer.failure.as_deref().map(redacted),
        }
    }
}

/// The folder of the log: `HOOKS_STATE_DIR`, or `hooks` in the state folder of the person.
pub(crate) fn folder() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    var("HOOKS_STATE_DIR")
        .or_else(|| var("XDG_STATE_HOME").map(|state| state.join("hooks")))
        .or_else(|| var("HOME").map(|home| home.join(".local/state/hooks")))
}

/// Appends a line. A log that cannot be written is no reason to answer otherwise.
pub(crate) fn append(folder: &Path, entry: &Entry) {
    let file = folder.join("hosts.jsonl");
    let write = || -> std::io::Result<()> {
        own_folder(folder)?;
        match fs::metadata(&file) {
            // A pipe would wait for a reader, and the host for this process.
            Ok(meta) if !meta.is_file() => return Ok(()),
            Ok(meta) if meta.len() > LONGEST => fs::rename(&file, folder.join("hosts.old.jsonl"))?,
            _ => {}
        }
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        // One write, so that lines of several processes do not mix.
        own_file(&file)?.write_all(line.as_bytes())
    };
    let _ = write();
}

/// Makes a folder for files like the log, which only the person reads: reasons of hooks and names of files stand there.
pub(crate) fn own_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.recursive(true).create(folder)
}

fn own_file(file: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    let opened = options.create(true).append(true).open(file)?;
    // One that an earlier release has made.
    #[cfg(unix)]
    if opened.metadata()?.permissions().mode() & 0o077 != 0 {
        opened.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(opened)
}

/// The lines of the log, the newest last.
pub(crate) fn entries(folder: &Path) -> Vec<Entry> {
    let files =
        ["hosts.old.jsonl", "hosts.jsonl"].map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default());
    files.iter().flat_map(|text| text.lines()).filter_map(|line| serde_json::from_str(line).ok()).collect()
}
