use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Trust;
use crate::dialect::Dialect;
use crate::file::{Defect, RuleFile};

/// A plugin whose rules an app takes in.
#[derive(Clone, PartialEq, Eq)]
pub struct Plugin {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) data: Option<PathBuf>,
    pub(crate) options: BTreeMap<String, String>,
}

impl Plugin {
    /// The plugin `name` in the folder `root`; its rules are in `hooks/hooks.json` there.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), root: root.into(), data: None, options: BTreeMap::new() }
    }

    /// Where it keeps its data: `CLAUDE_PLUGIN_DATA`.
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// An option of it: `CLAUDE_PLUGIN_OPTION_<NAME>`, and `${user_config.<NAME>}` in arguments.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}

/// Options may be secret: it shows their names.
impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<_> = self.options.keys().collect();
        let mut shown = f.debug_struct("Plugin");
        shown.field("name", &self.name).field("root", &self.root).field("data", &self.data);
        shown.field("options", &options).finish()
    }
}

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

/// Whose file it is.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// The person's, or the operator's.
    User,
    /// The project's: it waits for trust.
    Project,
    /// A skill's, which may say `once`.
    Skill(String),
    /// A plugin's.
    Plugin(Arc<Plugin>),
}

impl Owner {
    /// What sets its rules apart from the same rules elsewhere. All settings files are one.
    pub(crate) fn duplicate_key(&self) -> &str {
        match self {
            Self::User | Self::Project => "",
            Self::Skill(name) => name,
            Self::Plugin(plugin) => &plugin.name,
        }
    }

    /// The variables that its commands find.
    pub(crate) fn variables(&self, project: &Path) -> BTreeMap<String, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut variables = BTreeMap::from([("CLAUDE_PROJECT_DIR".to_owned(), text(project))]);
        if let Self::Plugin(plugin) = self {
            variables.insert("CLAUDE_PLUGIN_ROOT".to_owned(), text(&plugin.root));
            variables.extend(plugin.data.as_deref().map(|data| ("CLAUDE_PLUGIN_DATA".to_owned(), text(data))));
            let options = plugin.options.iter();
            variables.extend(options.map(|(name, value)| (format!("CLAUDE_PLUGIN_OPTION_{name}"), value.clone())));
        }
        variables
    }
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

impl Source {
    /// Reads the file; `None` where there is none and none is needed.
    pub(crate) fn read(&self, trust: Option<&Trust>) -> Option<RuleFile> {
        let mut file = self.read_now(trust)?;
        if matches!(self.owner, Owner::Project) && trust.and_then(|trust| trust.fingerprint(&self.path)).is_none() {
            // Nothing of it may run, an earlier reading least of all, also where it cannot be read at the moment.
            file.readable = true;
        }
        Some(file)
    }

    fn read_now(&self, trust: Option<&Trust>) -> Option<RuleFile> {
        if let Some(text) = &self.text {
            return Some(RuleFile::read_as(&self.path, text, self.dialect));
        }
        let bytes = match bytes(&self.path) {
            Ok(bytes) if bytes.len() as u64 > LIMIT => {
                let problem = format!("this is larger than {} MiB, too much for a file of rules", LIMIT >> 20);
                return Some(self.unreadable(&problem, "name a file of rules"));
            }
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let needed = matches!(self.owner, Owner::Plugin(_) | Owner::Skill(_));
                return needed.then(|| {
                    let mut file = self.unreadable("the file was not found", "write it, or leave the plugin out");
                    // What is gone has no rules: a guard of an earlier reading would run scripts that are gone too.
                    file.readable = true;
                    file
                });
            }
            Err(error) => return Some(self.unreadable(&format!("cannot be read: {error}"), "make it readable")),
        };
        let trusted = trust.is_some_and(|trust| trust.allows(&self.path, &bytes));
        if matches!(self.owner, Owner::Project) && !trusted {
            let problem = "the rules of this project wait until somebody trusts the file as it is now";
            let help = "look at its commands, then trust it: `Trust::open(…)?.trust(file)?`";
            let mut file = self.unreadable(problem, help);
            // Nothing of it may run, an earlier reading least of all.
            file.readable = true;
            return Some(file);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(RuleFile::read_as(&self.path, &text, self.dialect)),
            Err(error) => Some(self.unreadable(no_text(error.as_bytes()), "save it as UTF-8")),
        }
    }

    fn unreadable(&self, problem: &str, help: &str) -> RuleFile {
        RuleFile::unreadable(&self.path, problem, help)
    }

    /// A defect of one of its rules that only the app's side shows.
    pub(crate) fn defect(file: &RuleFile, line: usize, column: usize, problem: String, help: &str) -> Defect {
        Defect::of_rule(&file.file, line, column, problem, help)
    }
}
