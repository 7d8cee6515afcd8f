//! The rules of an app: their sources, trust, and their hooks in a registry.

mod builder;
mod explain;
mod exports;
mod fire;
mod inspect;
mod install;
mod plugins;
mod source;
mod state;
mod trust;

pub use builder::RulesBuilder;
pub use explain::Explained;
pub use plugins::{ListedPlugin, PluginChange, PluginContents, PluginStatus, PluginStep};
#[cfg(feature = "watch")]
pub use plugins::{RulesWatch, WatchError};
pub use state::{Listed, Rules};
pub use trust::{Trust, TrustError};
