//! Typed, transactional hooks for LLM agents.
extern crate self as hooks_core;

pub mod audit;
#[doc(hidden)]
pub mod compile_time;
pub mod config;
mod context;
pub mod data;
pub mod dispatch;
pub mod hook;
#[doc(hidden)]
pub mod itself;
mod kind;
pub mod kinds;
mod panics;
#[doc(hidden)]
pub mod param;
mod plan;
#[doc(hidden)]
pub mod private;
pub mod record;
mod registry;
pub mod scope;
pub mod verdict;

pub use config::ConfigError;
pub use context::{HookContext, HookContextBuilder, MissingState};
pub use dispatch::{DispatchError, Fired};
pub use hook::{Hook, HookId};
pub use hooks_macros::{HookKind, hook};
pub use kind::{Allowed, Field, HookKind, Kept, Never, Removable, Removal, Semantics, Slot, Violation};
pub use panics::quiet_panics;
pub use plan::HookSet;
pub use registry::Registry;
pub use tokio_util::sync::CancellationToken;

mod macros;
pub mod prelude;
