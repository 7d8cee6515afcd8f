//! Typed, transactional hooks for LLM agents.
//!
//! Annotate a function, name it in an agent or a prompt, and it runs at a fixed point of the agent's turn: it reads what
//! flows through, rewrites it, or decides about it. The harness owns the loop; hooks never fork it, crash it or corrupt it.
//!
//! ```standalone_crate
//! use hooks_core::kinds::*;
//! use hooks_core::prelude::*;
//!
//! /// Masks what looks like an e-mail address in everything that is stored.
//! #[hook(id = "redact_pii", kind = before_create_message, on_failure = required)]
//! fn redact_pii(row: &mut Message) {
//!     row.rewrite_text(|text| {
//!         let mask = |word: &str| if word.contains('@') { "[email]".to_owned() } else { word.to_owned() };
//!         text.contains('@').then(|| text.split(' ').map(mask).collect::<Vec<_>>().join(" "))
//!     });
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let registry = Registry::discover()?; // every hook linked into the program
//!     let agent = AgentDef::from_json("agent.json", r#"{"name": "support", "hooks": ["redact_pii"]}"#)?;
//!     let hooks = registry.scope(&agent, None)?; // an unknown id is an error here
//!     let row = Message::new(Role::User, "write to ada@example.com please");
//!     let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row)?;
//!     assert_eq!(fired.subject.text(), "write to [email] please");
//!     Ok(())
//! }
//! ```
//!
//! # The way of a hook
//!
//! | Step | Where |
//! |---|---|
//! | a function becomes a hook | [`macro@hook`]; a closure with state: [`Hook`] |
//! | all hooks of a program | [`Registry`] |
//! | which of them are in force | [`scope`]: the lists of app, agent and prompt |
//! | in which order | [`HookSet`], whose `Display` shows the plan |
//! | run at a point | [`HookSet::fire`], [`HookSet::fire_blocking`] |
//! | run where no dispatch waits | [`detached`]: detached hooks, jobs; [`worker`] executes jobs |
//! | tried alone, in a test | [`testing`] |
//! | what came of it | [`Fired`]: subject, [`verdict`], failures; [`record`] for those who listen |
//!
//! The built-in points are in [`kinds`], the data that flows through them in [`data`]; an app adds points of its own with
//! [`derive(HookKind)`](macro@HookKind).
//!
//! # What holds
//!
//! - A hook that fails, panics or overruns its deadline leaves no trace in the subject; its
//!   [`on_failure`](hook::OnFailure) says how the dispatch goes on. By default a **gate refuses and everything else goes
//!   on without the hook**, so a redactor fails open unless it says otherwise.
//! - Async readers of a stage run concurrently, plain functions and writers in sequence. The outcome never depends on who is done first.
//! - Everything that is wrong with a registry or a scope is told at once, before the first hook runs.
//! - A dispatch at which no hook is selected allocates nothing.
//!
//! # When not to use it
//!
//! For code that every turn runs in any case, call a function. For work that must survive a crash, put a queue that does
//! behind a [`BackgroundSink`](detached::BackgroundSink). With
//! `panic = "abort"` panics cannot be isolated.
//!
//! # Features
//!
//! `toml`: agent and prompt definitions in TOML.

extern crate self as hooks_core;

// The layers. A module uses those above it, never those below it.
mod text;
pub mod words;
mod panics;
mod source;
mod id;
mod failure;
pub mod data;
pub mod verdict;
mod kind;
pub mod kinds;
mod options;
pub mod context;
pub mod record;
mod job;
#[doc(hidden)]
pub mod handler;
pub mod signature;
pub mod hook;
pub mod diagnostics;
mod plan;
pub mod dispatch;
pub mod detached;
mod engine;
pub mod scope;
pub mod overrides;
pub mod plugin;
mod fires;
mod registry;
pub mod worker;
pub mod manifest;
pub mod testing;
#[doc(hidden)]
pub mod __private_0_1;
mod macros;
pub mod prelude;

pub use context::{HookContext, HookContextBuilder, MissingState, With};
pub use diagnostics::ConfigError;
pub use dispatch::{DispatchError, Fired};
pub use engine::{JsonError, JsonFired};
pub use hook::{Hook, HookId};
pub use hooks_macros::{HookKind, hook};
pub use kind::bounds;
pub use kind::{Allowed, Field, HookKind, Kept, KindDescriptor, Never, Removable, Removal, Semantics, Slot, Violation};
pub use panics::quiet_panics;
pub use plan::{HookSet, PlannedHook};
pub use registry::{ObserverId, Registry};
pub use tokio_util::sync::CancellationToken;
pub use verdict::Verdict;
