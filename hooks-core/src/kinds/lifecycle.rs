use std::path::PathBuf;

use hooks_macros::__event as event;
use serde_json::Value;

use super::words::words;

/// Fires when a plugin, or the app itself, is loaded: hooks prepare the resources that they need later.
///
/// By default, a failing hook makes the dispatch return an error, because hooks must not run without their preparation.
#[event(name = "init", outside_turn, on_failure = required, new(plugin))]
#[serde(default)]
#[derive(Default, Eq)]
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
#[event(name = "shutdown", outside_turn, match(reason), new(reason))]
#[derive(Eq)]
pub struct Shutdown {
    /// The reason.
    pub reason: ShutdownReason,
    /// The plugin that is unloaded; empty for the app itself.
    pub plugin: String,
}

/// Fires when the program starts to accept work.
#[event(name = "gateway_start", outside_turn, new(address))]
#[derive(Default, Eq)]
pub struct GatewayStart {
    /// The address of the program, such as `127.0.0.1:8080`.
    pub address: String,
}

/// Fires when the program stops accepting work.
#[event(name = "gateway_stop", outside_turn, match(reason), new(reason))]
#[derive(Default, Eq)]
pub struct GatewayStop {
    /// The reason, in a word of the harness; empty if it gives none.
    #[serde(default)]
    pub reason: String,
}
