//! The rules of an app: where they come from, whether they may run, and their hooks in a registry.

mod builder;
mod explain;
mod exports;
mod fire;
mod inspect;
mod install;
mod source;
mod state;
mod trust;

pub use builder::RulesBuilder;
pub use explain::Explained;
pub use state::{Listed, Rules};
pub use trust::{Trust, TrustError};
