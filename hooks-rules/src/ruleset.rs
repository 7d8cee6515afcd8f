//! The rules of an app: their sources, trust, and their hooks in a registry.

mod trust;
mod source;
mod plugins;
mod policy;
mod state;
mod rules;
mod audit;
mod builder;
mod explain;
mod exports;
mod fire;
mod inspect;
mod install;
mod refresh;
#[cfg(feature = "watch")]
mod watch;

pub use builder::RulesBuilder;
pub use explain::Explanation;
pub use plugins::{PluginChange, PluginContents, PluginInfo, PluginStatus, PluginStep};
pub use rules::Rules;
pub use state::RuleInfo;
pub use trust::{Trust, TrustError};
#[cfg(feature = "watch")]
pub use watch::{RulesWatch, WatchError};
