//! Hooks that no dispatch waits for: their limits, where background jobs go, and how runs end.
//!
//! A *detached* hook (`run = detached`) is spawned in this process, at its place in the plan. A *background* hook
//! (`run = background`) is serialized as a [`Job`] and passed to the registry's [`BackgroundSink`]: a queue in a
//! database, or the [`Worker`](crate::worker::Worker) of this process. A consumer of the queue executes the job with
//! [`Registry::run_job`](crate::Registry::run_job), in this process or in another one that links the same hooks.
//!
//! Observers see each run twice: in the record of the dispatch, and in
//! [`Observer::ended`](crate::record::Observer::ended) when it ends. Before the program ends, call
//! [`Registry::drain`](crate::Registry::drain) to wait for all of them.
//!
//! ```standalone_crate
//! use hook_sdk::worker::Worker;
//! use hook_sdk::kinds::*;
//! use hook_sdk::data::Role;
//! use hook_sdk::prelude::*;
//! use std::time::Duration;
//!
//! #[hook(id = "index", kind = after_create_message, run = background, idempotent, retries = 2)]
//! async fn index(event: &AfterCreateMessage) -> Result<(), std::io::Error> {
//!     // … give event.message to the search index …
//!     Ok(())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::discover()?;
//! Worker::new().queue(1_000).start(&registry)?;
//! let hooks = registry.scope(&AgentDef::new("support").hooks(hooks![index]), None)?;
//! hooks.fire(&HookContext::new(), &AfterCreateMessage::new(Message::new(Role::User, "hello")), ()).await?;
//! let drained = registry.drain(Duration::from_secs(5)).await;
//! assert_eq!(drained.background.done, 1);
//! # Ok(())
//! # }
//! ```

mod launch;
mod notice;
mod run;
mod sink;
mod tasks;

pub use crate::job::Job;
pub(crate) use launch::Launcher;
pub(crate) use notice::Notice;
pub(crate) use run::{Body, DetachedRun, RunError, until_shutdown};
pub(crate) use sink::DetachedRuns;
pub use sink::{BackgroundSink, EnqueueError};
pub use tasks::{Counts, DrainReport};
pub(crate) use tasks::{Permit, Tasks};
