use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::words;
use crate::HookKind;

/// Fires when a plugin, or the app itself, is loaded: hooks open what they need later.
///
/// A hook that fails is an error of the dispatch, unless it says otherwise: what could not be prepared must not run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "init", outside_turn, on_failure = required, new(plugin), json)]
#[serde(default)]
#[non_exhaustive]
pub struct Init {
    /// The plugin that is loaded; empty for the app itself.
    pub plugin: String,
    /// Its version.
    pub version: String,
    /// Its configuration.
    pub config: Value,
    /// The folder where it may keep data.
    pub data_dir: Option<PathBuf>,
    /// The name of the app that loads it; empty where the harness's context has none.
    pub app: String,
    /// The app's version; empty where the harness's context has none.
    pub app_version: String,
}

words! {
    /// Why a plugin goes.
    ShutdownReason {
        /// The program ends.
        Shutdown = "shutdown",
        /// The plugin is taken away.
        Uninstall = "uninstall",
        /// The plugin is switched off.
        Disable = "disable",
        /// The plugin is loaded again.
        Reload = "reload",
    }
}

/// Fires when a plugin, or the app itself, goes: hooks close what they opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "shutdown", outside_turn, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct Shutdown {
    /// Why.
    pub reason: ShutdownReason,
    /// The plugin that goes; empty for the app itself.
    #[serde(default)]
    pub plugin: String,
}
