//! Plugins: crates, or values, that own hooks. An app installs them in an order of its choosing.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::context::HookContext;
use crate::hook::Hook;
use crate::id::HookId;
use crate::kinds::{Init, Shutdown, ShutdownReason};
use crate::source::Origin;
use crate::text::redacted;

/// A crate that declares itself with [`plugin!`](macro@crate::plugin).
#[derive(Debug)]
pub struct PluginEntry {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) origin: Origin,
}

inventory::collect!(PluginEntry);

impl PluginEntry {
    // Not public API. Used by `plugin!`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str, origin: Origin) -> Self {
        Self { name, version, origin }
    }

    /// Whether a hook written there is in the crate that declares itself here.
    pub(crate) fn has(&self, origin: Origin) -> bool {
        crate_of(self.origin.module) == crate_of(origin.module)
    }

    /// What the program declares, by name and place. A crate that is linked twice is one.
    pub(crate) fn declared() -> Vec<&'static Self> {
        let mut all: Vec<&Self> = inventory::iter::<Self>.into_iter().collect();
        all.sort_by_key(|entry| (entry.name, entry.origin));
        all.dedup_by_key(|entry| (entry.name, entry.origin));
        all
    }
}

fn crate_of(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// A plugin as an app installs it: the name of a linked one, or one made of values; with what its `init` hooks are given.
///
/// ```
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
/// use hooks_core::plugin::Plugin;
///
/// let trim = Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, row| {
///     row.rewrite_text(|text| Some(text.trim().to_owned()));
/// });
/// let registry = Registry::empty();
/// registry.install(Plugin::new("tidy").hook(trim).config(serde_json::json!({"strict": true})))?;
///
/// let hooks = registry.scope(&AgentDef::new("support"), None)?; // no list names `trim`: it is in force everywhere
/// let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), Message::new(Role::User, " hi "))?;
/// assert_eq!(fired.subject.text(), "hi");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a plugin is installed with `Registry::install`"]
pub struct Plugin {
    pub(crate) name: Arc<str>,
    pub(crate) version: Option<String>,
    pub(crate) config: Value,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) agents: Vec<String>,
    pub(crate) optional: bool,
    /// Why it cannot be started.
    pub(crate) failed: Option<Arc<str>>,
    pub(crate) hooks: Vec<Hook>,
}

impl Plugin {
    /// The plugin `name`. Without hooks of its own here it is the linked one of that name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            version: None,
            config: Value::Null,
            data_dir: None,
            agents: Vec::new(),
            optional: false,
            failed: None,
            hooks: Vec::new(),
        }
    }

    /// Its configuration, which its `init` hooks read from their event.
    pub fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// The folder where it may keep data, which its `init` hooks read from their event.
    pub fn data_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(folder.into());
        self
    }

    /// Its version; that of a linked plugin is its crate's where nothing is said.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// In force for this agent only; say it once for each. No list of the agent's or its prompts' replaces that.
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agents.push(name.into());
        self
    }

    /// A harness starts without it where its `init` fails; without this it does not start. Its guards refuse all the same.
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// It cannot be started, because of `reason`, which the app knows: as where its `init` failed, its guards refuse and its other
    /// hooks are left out.
    pub fn failed(mut self, reason: impl Into<Arc<str>>) -> Self {
        self.failed = Some(reason.into());
        self
    }

    /// One of its hooks. They stand in the order in which they are given.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }
}

impl From<&str> for Plugin {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// A plugin that could not be started or stopped as it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plugin `{plugin}` could not be {}: {reason}", if *.starting { "started; its guards refuse, and its other hooks are left out" } else { "stopped in order" })]
#[non_exhaustive]
pub struct PluginFailure {
    /// The plugin.
    pub plugin: String,
    /// Why: which hook failed, and what it said.
    pub reason: String,
    /// Whether it was being started, and not stopped.
    pub starting: bool,
    /// Whether the app called it [`optional`](Plugin::optional), so that a harness goes on without it.
    pub optional: bool,
}

impl PluginFailure {
    pub(crate) fn new(plugin: &str, starting: bool, reason: &dyn fmt::Display) -> Self {
        Self { plugin: plugin.to_owned(), reason: redacted(&reason.to_string()), starting, optional: false }
    }
}

/// The plugins that failed; all others go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", spelt(.failures))]
pub struct PluginsFailed {
    failures: Vec<PluginFailure>,
}

impl PluginsFailed {
    /// Each that failed, in the order in which they were started or stopped.
    pub fn failures(&self) -> &[PluginFailure] {
        &self.failures
    }

    pub(crate) fn unless_empty(failures: Vec<PluginFailure>) -> Result<(), Self> {
        if failures.is_empty() { Ok(()) } else { Err(Self { failures }) }
    }
}

fn spelt(failures: &[PluginFailure]) -> String {
    failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A plugin in a registry.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    pub(crate) plugin: Plugin,
    /// The hooks that were installed with it as values, in their order.
    pub(crate) made: Vec<HookId>,
    pub(crate) origin: Origin,
    pub(crate) state: PluginState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PluginState {
    /// Its `init` hooks have not run.
    New,
    /// They run now.
    Starting,
    Started,
    /// One of them failed: its guards refuse, and its other hooks are left out.
    Failed(Arc<str>),
    /// It was shut down to be loaded again, and as long as it is not started its guards refuse.
    Closed,
    /// Its `init` hooks run after that.
    Reopening,
}

impl PluginState {
    /// Why the guards of `plugin` refuse, where they do.
    pub(crate) fn closed(&self, plugin: &str) -> Option<String> {
        match self {
            Self::Failed(reason) => Some(format!("its plugin `{plugin}` could not be started: {reason}")),
            Self::Closed | Self::Reopening => Some(format!("its plugin `{plugin}` is being loaded again")),
            Self::New | Self::Starting | Self::Started => None,
        }
    }
}

impl Installed {
    pub(crate) fn is_for(&self, agent: &str) -> bool {
        self.plugin.agents.is_empty() || self.plugin.agents.iter().any(|name| name == agent)
    }

    pub(crate) fn init(&self, cx: &HookContext) -> Init {
        let mut init = Init::new(&*self.plugin.name)
            .app(cx.app().unwrap_or_default())
            .app_version(cx.app_version().unwrap_or_default())
            .version(self.plugin.version.clone().unwrap_or_default())
            .config(self.plugin.config.clone());
        init.data_dir.clone_from(&self.plugin.data_dir);
        init
    }

    pub(crate) fn shutdown(&self, reason: ShutdownReason) -> Shutdown {
        Shutdown::new(reason).plugin(&*self.plugin.name)
    }
}
