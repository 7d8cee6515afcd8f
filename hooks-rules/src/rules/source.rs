use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Trust;
use crate::dialect::Dialect;
use crate::file::RuleFile;
use crate::files::lies_in;
use crate::firing::Owner;
use crate::written::Defect;

/// A file of rules that an app names.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) owner: Owner,
    /// The form, where it is not to be found by the file's.
    pub(crate) dialect: Option<Dialect>,
    /// The text, where it is no file.
    pub(crate) text: Option<Arc<str>>,
}

/// Above this nothing is a file of rules. A device that never ends must not fill the memory.
const LIMIT: u64 = 16 << 20;

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What these bytes are, which are no UTF-8.
fn no_text(bytes: &[u8]) -> &'static str {
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if utf_16 { "the file is UTF-16, not UTF-8" } else { "the file is not UTF-8" }
}

/// What is in a file, as far as it may be used.
pub(super) enum Content {
    Text(String),
    /// It came with the project, and nobody trusts it as it is.
    Waiting,
    Missing,
    /// What is wrong with it, and what to do.
    Bad(String, &'static str),
}

/// Reads a file, which where it `waits` nobody may have read who does not trust it.
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
        return Content::Waiting;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => Content::Bad(no_text(error.as_bytes()).to_owned(), "save it as UTF-8"),
    }
}

impl Source {
    /// Reads the file; `None` where there is none and none is needed. What came with `project` waits for trust.
    pub(crate) fn read(&self, trust: Option<&Trust>, project: Option<&Path>) -> Option<RuleFile> {
        let waits = project.is_some_and(|project| self.waits_for_trust(project));
        let mut file = self.read_now(trust, waits)?;
        if waits && trust.and_then(|trust| trust.fingerprint(&self.path)).is_none() {
            // Nothing of it may run, an earlier reading least of all, also where it cannot be read at the moment.
            file.readable = true;
        }
        Some(file)
    }

    /// Whether its rules came with the project: by its settings, or by a plugin or skill within it.
    fn waits_for_trust(&self, project: &Path) -> bool {
        match self.owner {
            Owner::User => false,
            Owner::Project => true,
            Owner::Plugin(_) | Owner::Skill(_) => lies_in(&self.path, project),
        }
    }

    /// Whether it is the same file of the same owner.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && self.owner.plugin() == other.owner.plugin()
            && self.text.is_some() == other.text.is_some()
    }

    /// Whether it is a file of that plugin.
    pub(super) fn is_of(&self, plugin: &str) -> bool {
        self.owner.plugin() == Some(plugin)
    }

    fn read_now(&self, trust: Option<&Trust>, waits: bool) -> Option<RuleFile> {
        let content = match &self.text {
            Some(text) if waits && !trust.is_some_and(|trust| trust.allows(&self.path, text.as_bytes())) => {
                Content::Waiting
            }
            Some(text) => Content::Text(text.to_string()),
            None => content(&self.path, trust, waits),
        };
        match content {
            Content::Text(text) => Some(RuleFile::read_as(&self.path, &text, self.dialect)),
            Content::Waiting => Some(self.waiting()),
            Content::Bad(problem, help) => Some(self.unreadable(&problem, help)),
            Content::Missing => {
                let needed = matches!(self.owner, Owner::Plugin(_) | Owner::Skill(_));
                needed.then(|| {
                    let mut file = self.unreadable("the file was not found", "write it, or leave the plugin out");
                    // What is gone has no rules: a guard of an earlier reading would run scripts that are gone too.
                    file.readable = true;
                    file
                })
            }
        }
    }

    /// The file while nobody trusts it.
    fn waiting(&self) -> RuleFile {
        let file: Arc<Path> = self.path.as_path().into();
        let mut read = self.unreadable("", "");
        read.defects = vec![Self::waits(&file)];
        // Nothing of it may run, an earlier reading least of all.
        (read.readable, read.waits) = (true, true);
        read
    }

    /// What is told of a file while nobody trusts it.
    pub(super) fn waits(file: &Arc<Path>) -> Defect {
        let problem = "this file of the project waits until somebody trusts it as it is now";
        Defect::of_file(
            file,
            problem,
            "read it and the commands that it names, then trust it: `hooks trust`, or `Trust::open(…)?.trust(file)?`",
        )
    }

    fn unreadable(&self, problem: &str, help: &str) -> RuleFile {
        RuleFile::unreadable(&self.path, problem, help)
    }

    /// A defect of one of its rules that only the app's side shows.
    pub(crate) fn defect(file: &RuleFile, line: usize, column: usize, problem: String, help: &str) -> Defect {
        Defect::of_rule(&file.file, line, column, problem, help)
    }
}
