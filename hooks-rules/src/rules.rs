//! The rules of an app: their sources, trust, and their hooks in a registry.

mod audit;
mod builder;
mod explain;
mod exports;
mod fire;
mod handle;
mod inspect;
mod install;
mod plugins;
mod source;
mod state;
mod trust;

pub use builder::RulesBuilder;
pub use explain::Explained;
pub use handle::Rules;
pub use plugins::{ListedPlugin, PluginChange, PluginContents, PluginStatus, PluginStep};
#[cfg(feature = "watch")]
pub use plugins::{RulesWatch, WatchError};
pub use state::Listed;
pub use trust::{Trust, TrustError};
