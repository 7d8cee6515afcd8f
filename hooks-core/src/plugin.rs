//! Plugins: crates or values that own hooks. An app installs them in the order that it chooses.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::context::HookContext;
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::kinds::{Init, Shutdown};
use crate::source::Origin;
use crate::tables::setters;
use crate::text::redacted;

/// A crate that is declared as a plugin with [`plugin!`](macro@crate::plugin), which alone uses this type.
#[doc(hidden)]
#[derive(Debug)]
pub struct PluginEntry {
    pub name: &'static str,
    pub version: &'static str,
    pub origin: Origin,
}

inventory::collect!(PluginEntry);

impl PluginEntry {
    /// Whether a hook at `origin` is part of the crate of this declaration.
    pub(crate) fn has(&self, origin: Origin) -> bool {
        crate_of(self.origin.module) == crate_of(origin.module)
    }

    /// The declared plugins, sorted by name and position. A crate that is linked twice counts once.
    pub(crate) fn declared() -> Vec<&'static Self> {
        let mut all: Vec<&Self> = inventory::iter::<Self>.into_iter().collect();
        all.sort_by_key(|entry| (entry.name, entry.origin));
        all.dedup_by_key(|entry| (entry.name, entry.origin));
        all
    }
}

/// The module of a crate that is declared with [`library!`](macro@crate::library), which alone uses this type.
#[doc(hidden)]
#[derive(Debug)]
pub struct LibraryEntry {
    pub module: &'static str,
    /// Ids of hooks, each with a JSON pointer to where its parameters name tools.
    pub tools: &'static [(&'static str, &'static str)],
}

inventory::collect!(LibraryEntry);

impl LibraryEntry {
    /// Whether a hook at `origin` is part of a library.
    pub(crate) fn has(origin: Origin) -> bool {
        Self::of(origin).next().is_some()
    }

    fn of(origin: Origin) -> impl Iterator<Item = &'static Self> {
        inventory::iter::<Self>.into_iter().filter(move |library| crate_of(library.module) == crate_of(origin.module))
    }

    /// The patterns of tools that the parameters of a hook name.
    pub(crate) fn tools<'a>(id: &HookId, origin: Origin, given: &'a Value) -> Vec<&'a str> {
        let places = Self::of(origin).flat_map(|library| library.tools).filter(|(hook, _)| id.as_str() == *hook);
        let names = |value: &'a Value| match value {
            Value::Object(by_name) => by_name.keys().map(String::as_str).collect(),
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        places.filter_map(|(_, pointer)| given.pointer(pointer)).flat_map(names).collect()
    }
}

impl Hook {
    /// The names and patterns (`*`, `?`) of tools in parameters for the hook, where its crate is a
    /// [`library!`](crate::library!) that says where they are.
    pub fn tools_in<'a>(&self, parameters: &'a Value) -> Vec<&'a str> {
        LibraryEntry::tools(&self.id, self.origin, parameters)
    }
}

fn crate_of(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// A plugin to install: a linked one by its name, or one that is built from hook values. Contains the configuration for
/// its `init` hooks.
///
/// ```
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hook_sdk::plugin::Plugin;
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
#[derive(Clone, Debug, Default)]
#[must_use = "a plugin is installed with `Registry::install`"]
pub struct Plugin {
    pub(crate) name: Arc<str>,
    pub(crate) version: Option<String>,
    pub(crate) config: Value,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) agents: Vec<String>,
    pub(crate) optional: bool,
    /// Why the plugin cannot be started.
    pub(crate) failed: Option<Arc<str>>,
    pub(crate) hooks: Vec<Hook>,
}

impl Plugin {
    /// Names a plugin. Without a call of [`hook`](Self::hook), it refers to the linked plugin of that name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Restricts the plugin to this agent. Call it once per agent. Lists of the agent and its prompts cannot replace
    /// the plugin's hooks.
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agents.push(name.into());
        self
    }

    /// Adds a hook. The plugin's hooks keep the order in which they are added.
    pub fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }
}

setters!(Plugin {
    /// Sets the plugin's configuration, which its `init` hooks read from their event.
    config: Value,
    /// Sets the directory for the plugin's data, which its `init` hooks read from their event.
    data_dir: impl Into<PathBuf> => Some,
    /// Sets the version. The default is the version of a linked plugin's crate.
    version: impl Into<String> => Some,
    /// Lets a harness start even if the plugin's `init` fails; without this it does not start. The plugin's guards fail
    /// closed in either case.
    optional,
    /// Marks the plugin as failed before its start, because of `reason`. As after a failed `init`, its guards fail
    /// closed and its other hooks do not run.
    failed: impl Into<Arc<str>> => Some,
});

impl From<&str> for Plugin {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// A plugin failed to start or to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plugin `{plugin}` failed to {}: {reason}", if *.starting { "start; its guards fail closed, and its other hooks do not run" } else { "stop" })]
#[non_exhaustive]
pub struct PluginFailure {
    /// The name of the plugin.
    pub plugin: String,
    /// Which hook failed, and its error.
    pub reason: String,
    /// Whether the plugin failed to start; otherwise it failed to stop.
    pub starting: bool,
    /// Whether the plugin is [`optional`](Plugin::optional), so that a harness continues without it.
    pub optional: bool,
}

impl PluginFailure {
    pub(crate) fn new(plugin: &str, starting: bool, reason: &dyn fmt::Display) -> Self {
        Self { plugin: plugin.to_owned(), reason: redacted(&reason.to_string()), starting, optional: false }
    }
}

/// One or more plugins failed to start or stop. All other plugins are unaffected.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
#[non_exhaustive]
pub struct PluginsFailed {
    /// The failures, in the order in which the plugins were started or stopped.
    pub failures: Vec<PluginFailure>,
}

crate::tables::debug_as_display!(PluginsFailed);

impl PluginsFailed {
    pub(crate) fn unless_empty(failures: Vec<PluginFailure>) -> Result<(), Self> {
        if failures.is_empty() { Ok(()) } else { Err(Self { failures }) }
    }
}

/// A plugin in a registry.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    pub(crate) plugin: Plugin,
    /// The hooks that were installed as values, in order.
    pub(crate) made: Vec<HookId>,
    pub(crate) origin: Origin,
    pub(crate) state: PluginState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PluginState {
    /// The `init` hooks have not run.
    New,
    /// The `init` hooks are running.
    Starting,
    Started,
    /// An `init` hook failed: guards fail closed, and other hooks do not run.
    Failed(Arc<str>),
    /// Shut down for a reload. Guards fail closed until the plugin is started.
    Closed,
    /// The `init` hooks are running after a reload.
    Reopening,
}

impl PluginState {
    /// Why the guards of `plugin` fail closed; `None` if they do not.
    pub(crate) fn closed(&self, plugin: &str) -> Option<String> {
        match self {
            Self::Failed(reason) => Some(format!("its plugin `{plugin}` failed to start: {reason}")),
            Self::Closed | Self::Reopening => Some(format!("its plugin `{plugin}` is being reloaded")),
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
}

/// Whether the hook runs there when its plugin is started or stopped, instead of when the app fires the kind.
pub(crate) fn is_lifecycle(hook: &Hook, binding: &Binding) -> bool {
    hook.plugin.is_some() && (binding.kind.is::<Init>() || binding.kind.is::<Shutdown>())
}
