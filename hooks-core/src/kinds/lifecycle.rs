use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::words;
use crate::HookKind;

/// Fires when a plugin, or the app itself, is loaded: hooks prepare the resources that they need later.
///
/// By default, a failing hook makes the dispatch return an error, because hooks must not run without their preparation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "init", outside_turn, on_failure = required, new(plugin), json)]
#[serde(default)]
#[non_exhaustive]
pub struct Init {
    /// The plugin that is loaded; empty for the app itself.
    pub plugin: String,
    /// The version of the plugin.
    pub version: String,
    /// The configuration of the plugin.
    pub config: Value,
    /// The folder for the plugin's data.
    pub data_dir: Option<PathBuf>,
    /// The name of the app that loads the plugin; empty if the context of the harness has none.
    pub app: String,
    /// The app's version; empty if the context of the harness has none.
    pub app_version: String,
}

words! {
    /// Why a plugin is unloaded.
    ShutdownReason {
        /// The program ends.
        Shutdown = "shutdown",
        /// The plugin is uninstalled.
        Uninstall = "uninstall",
        /// The plugin is disabled.
        Disable = "disable",
        /// The plugin is reloaded.
        Reload = "reload",
    }
}

/// Fires when a plugin, or the app itself, is unloaded: hooks release their resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "shutdown", outside_turn, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct Shutdown {
    /// The reason.
    pub reason: ShutdownReason,
    /// The plugin that is unloaded; empty for the app itself.
    #[serde(default)]
    pub plugin: String,
}
