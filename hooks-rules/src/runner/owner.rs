//! The owner of rules: the user, a project, a skill or a plugin.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A plugin whose rules the app loads.
#[derive(Clone, PartialEq, Eq)]
pub struct PluginFolder {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) data: Option<PathBuf>,
    pub(crate) options: BTreeMap<String, String>,
    /// If set, the reason why its guards deny and its other rules are left out.
    pub(crate) failure: Option<Arc<str>>,
    /// Whether the administrator of the machine enables it.
    pub(crate) managed: bool,
}

impl PluginFolder {
    /// Creates the plugin `name` with the folder `root`. Its rules are in `hooks/hooks.json` in that folder.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            root: root.into(),
            data: None,
            options: BTreeMap::new(),
            failure: None,
            managed: false,
        }
    }

    /// The name of the plugin.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the folder for its data (`CLAUDE_PLUGIN_DATA`), which is created if necessary. Default: `data/<name>` next to
    /// the plugin's folder.
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// Says that the administrator of the machine enables it, so that `allowManagedHooksOnly` and the user's `disableAllHooks` let
    /// its rules run.
    #[must_use]
    pub fn managed(mut self) -> Self {
        self.managed = true;
        self
    }

    /// An option of it: `CLAUDE_PLUGIN_OPTION_<NAME>`, in capitals and as `name` is written, and `${user_config.<NAME>}` in
    /// arguments.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}

/// Options may be secret, so only their names are shown.
impl fmt::Debug for PluginFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<_> = self.options.keys().collect();
        let mut shown = f.debug_struct("PluginFolder");
        shown.field("name", &self.name).field("root", &self.root).field("data", &self.data);
        shown.field("options", &options).field("failure", &self.failure).field("managed", &self.managed).finish()
    }
}

/// The owner of a file.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// The administrator of the machine. Nobody else switches these rules off.
    Managed,
    /// The user, or the operator.
    User,
    /// The project. The file has to be trusted first.
    Project,
    /// A skill, whose rules can use `once`.
    Skill(String),
    /// A plugin.
    Plugin(Arc<PluginFolder>),
}

impl Owner {
    /// Distinguishes its rules from equal rules elsewhere. All settings files have the same key.
    pub(crate) fn duplicate_key(&self) -> &str {
        match self {
            Self::Managed | Self::User | Self::Project => "",
            Self::Skill(name) => name,
            Self::Plugin(plugin) => &plugin.name,
        }
    }

    /// The plugin's name.
    pub(crate) fn plugin(&self) -> Option<&str> {
        match self {
            Self::Plugin(plugin) => Some(&plugin.name),
            _ => None,
        }
    }

    /// If set, the reason why its guards deny and its other rules are left out.
    pub(crate) fn plugin_failure(&self) -> Option<String> {
        match self {
            Self::Plugin(plugin) => {
                plugin.failure.as_deref().map(|reason| format!("its plugin `{}` cannot run: {reason}", plugin.name))
            }
            _ => None,
        }
    }

    /// Whether the administrator of the machine wants its rules.
    pub(crate) fn is_managed(&self) -> bool {
        matches!(self, Self::Managed) || matches!(self, Self::Plugin(plugin) if plugin.managed)
    }

    /// The folder of a plugin's data.
    pub(crate) fn data(&self) -> Option<&Path> {
        match self {
            Self::Plugin(plugin) => plugin.data.as_deref(),
            _ => None,
        }
    }

    /// The environment variables of its commands.
    pub(crate) fn variables(&self, project: &Path) -> BTreeMap<String, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut variables = BTreeMap::from([("CLAUDE_PROJECT_DIR".to_owned(), text(project))]);
        if let Self::Plugin(plugin) = self {
            variables.insert("CLAUDE_PLUGIN_ROOT".to_owned(), text(&plugin.root));
            variables.extend(plugin.data.as_deref().map(|data| ("CLAUDE_PLUGIN_DATA".to_owned(), text(data))));
            let named = |name: &str, value: &String| (format!("CLAUDE_PLUGIN_OPTION_{name}"), value.clone());
            // The contract has the name in capitals. A name that is written in capitals wins over one that is not.
            variables.extend(plugin.options.iter().map(|(name, value)| named(&name.to_ascii_uppercase(), value)));
            variables.extend(plugin.options.iter().map(|(name, value)| named(name, value)));
        }
        variables
    }
}
