use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::trust::Trust;
use crate::dialect::Dialect;
use crate::paths::lies_in;
use crate::rule_file::RuleFile;
use crate::runner::Owner;
use crate::syntax::Defect;

/// A rule file that an app added.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) owner: Owner,
    /// The dialect, if it should not be detected.
    pub(crate) dialect: Option<Dialect>,
    /// The text, if it should not be read from the file.
    pub(crate) text: Option<Arc<str>>,
    /// Whether it is trusted, if the app says so itself.
    pub(crate) trusted: Option<bool>,
}

/// The size limit of rule files. An endless device file must not exhaust the memory.
const LIMIT: u64 = 16 << 20;

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_a_pipe(path) {
        // Opening one waits for whoever writes to it.
        return Err(std::io::Error::other("it is a pipe, not a file"));
    }
    File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_a_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_a_pipe(_: &Path) -> bool {
    false
}

/// Describes bytes that are not UTF-8.
fn no_text(bytes: &[u8]) -> &'static str {
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if utf_16 { "the file is UTF-16, not UTF-8" } else { "the file is not UTF-8" }
}

/// The content of a file, if it may be used.
pub(super) enum Content {
    Text(String),
    /// The file belongs to the project, and its content, which this is, is not trusted.
    Waiting(String),
    Missing,
    /// A problem of the file, with a suggestion.
    Bad(String, &'static str),
}

/// Reads a file. If `waits` is set, its content has to be trusted.
pub(super) fn content(path: &Path, trust: Option<&Trust>, waits: bool) -> Content {
    let bytes = match bytes(path) {
        Ok(bytes) if bytes.len() as u64 > LIMIT => {
            let problem = format!("this is larger than {} MiB, too much for a file of rules", LIMIT >> 20);
            return Content::Bad(problem, "name a file of rules");
        }
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Content::Missing,
        Err(error) => return Content::Bad(format!("cannot be read: {error}"), "make it readable"),
    };
    if waits && !trust.is_some_and(|trust| trust.allows(path, &bytes)) {
        return Content::Waiting(String::from_utf8_lossy(&bytes).into_owned());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => Content::Bad(no_text(error.as_bytes()).to_owned(), "save it as UTF-8"),
    }
}

impl Source {
    /// Reads the file. `None` if it does not exist and is optional. Files of `project` have to be trusted.
    pub(crate) fn read(&self, trust: Option<&Trust>, project: Option<&Path>) -> Option<RuleFile> {
        let waits = match self.trusted {
            Some(trusted) => !trusted,
            None => project.is_some_and(|project| self.waits_for_trust(project)),
        };
        let trust = trust.filter(|_| self.trusted.is_none());
        let mut file = self.read_now(trust, waits)?;
        if waits && trust.and_then(|trust| trust.fingerprint(&self.path)).is_none() {
            // Nothing of it may run, not even an earlier version, and not even if it cannot be read at the moment.
            file.readable = true;
        }
        Some(file)
    }

    /// Whether its rules belong to the project: they are in its settings, or in a plugin or skill inside its folder.
    fn waits_for_trust(&self, project: &Path) -> bool {
        match self.owner {
            Owner::Managed | Owner::User => false,
            Owner::Project => true,
            Owner::Plugin(_) | Owner::Skill(_) => lies_in(&self.path, project),
        }
    }

    /// Whether it is the same file with the same owner.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && self.owner.plugin() == other.owner.plugin()
            && self.text.is_some() == other.text.is_some()
    }

    /// Whether it belongs to this plugin.
    pub(super) fn is_of(&self, plugin: &str) -> bool {
        self.owner.plugin() == Some(plugin)
    }

    fn read_now(&self, trust: Option<&Trust>, waits: bool) -> Option<RuleFile> {
        let content = match &self.text {
            Some(text) if waits && !trust.is_some_and(|trust| trust.allows(&self.path, text.as_bytes())) => {
                Content::Waiting(text.to_string())
            }
            Some(text) => Content::Text(text.to_string()),
            None => content(&self.path, trust, waits),
        };
        match content {
            Content::Text(text) => Some(RuleFile::read_as(&self.path, &text, self.dialect)),
            Content::Waiting(text) => Some(self.waiting(&text)),
            Content::Bad(problem, help) => Some(self.unreadable(&problem, help)),
            Content::Missing => {
                let needed = matches!(self.owner, Owner::Plugin(_) | Owner::Skill(_));
                needed.then(|| {
                    let mut file = self.unreadable("the file was not found", "create it, or remove the plugin");
                    // A removed file has no rules: the scripts of its guards were probably removed too.
                    file.readable = true;
                    file
                })
            }
        }
    }

    /// The result for a file that is not trusted. Its rules are only listed.
    fn waiting(&self, text: &str) -> RuleFile {
        let file: Arc<Path> = self.path.as_path().into();
        let mut read = self.unreadable("", "");
        let written = RuleFile::read_as(&self.path, text, self.dialect);
        (read.rules, read.dialect) = (written.rules, written.dialect);
        read.defects = vec![Self::waits(&file)];
        // Nothing of it may run, not even an earlier version.
        (read.readable, read.waits) = (true, true);
        read
    }

    /// The defect of a file that is not trusted.
    pub(super) fn waits(file: &Arc<Path>) -> Defect {
        let problem = "this file of the project waits until somebody trusts it as it is now";
        Defect::of_file(
            file,
            problem,
            "read it and the commands that it names, then trust it: in an app `Trust::open(…)?.trust(file)?`",
        )
    }

    fn unreadable(&self, problem: &str, help: &str) -> RuleFile {
        RuleFile::unreadable(&self.path, problem, help)
    }

    /// A defect of a rule that depends on the app.
    pub(crate) fn defect(file: &RuleFile, line: usize, column: usize, problem: String, help: &str) -> Defect {
        Defect::of_rule(&file.file, line, column, problem, help)
    }
}
