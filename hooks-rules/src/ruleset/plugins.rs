//! Plugins in folders: their manifests, their files, and the order in which they are loaded.

mod contents;
mod discover;
mod folder;
mod manifest;
mod status;

pub use contents::PluginContents;
pub(super) use discover::PluginFolders;
pub(super) use folder::PluginEntry;
pub use status::{PluginChange, PluginInfo, PluginStatus, PluginStep};
pub(super) use status::{PluginListener, PluginStates};
