//! Typed, transactional hooks for LLM agents.
//!
//! Annotate a function, name it in an agent or a prompt, and it runs at a fixed point of the agent's turn: it reads
//! data, rewrites it, or decides about it. The harness owns the loop. A hook cannot crash the loop or corrupt its data.
//!
//! ```standalone_crate
//! use hook_sdk::kinds::*;
//! use hook_sdk::data::Role;
//! use hook_sdk::prelude::*;
//!
//! /// Masks words that look like e-mail addresses in every stored message. If the hook fails, nothing is stored.
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
//! # From a function to a result
//!
//! | Step | Where |
//! |---|---|
//! | turn a function into a hook | [`macro@hook`]; for a closure with state, [`Hook`] |
//! | collect all hooks of a program | [`Registry`] |
//! | select the hooks in force | [`scope`]: the lists of app, agent and prompt |
//! | order them | [`HookSet`], whose `Display` shows the plan |
//! | run them at a kind | [`HookSet::fire`], [`HookSet::fire_blocking`] |
//! | run them without waiting | [`detached`]: detached hooks and jobs; [`worker`] executes jobs |
//! | test them | [`testing`] |
//! | read the result | [`Fired`]: subject, [`verdict`], failures; [`record`] for observers |
//!
//! The built-in kinds are in [`kinds`], and their data types in [`data`]. An app defines kinds of its own with
//! [`derive(HookKind)`](macro@HookKind).
//!
//! # Guarantees
//!
//! - A hook that fails, panics or times out leaves no trace in the subject. Its [`on_failure`](hook::OnFailure) option
//!   determines how the dispatch continues. By default **a gate denies, and every other dispatch continues without the
//!   hook**, so a redactor fails open by default.
//! - Async readers of a stage run concurrently, plain functions and writers in sequence. The outcome never depends on
//!   which hook finishes first.
//! - All errors in a registry or a scope are reported together, before the first hook runs.
//! - A dispatch without selected hooks allocates nothing.
//!
//! # When not to use it
//!
//! If every turn runs the same code, call a function. If work must survive a crash, put a durable queue behind a
//! [`BackgroundSink`](detached::BackgroundSink). With `panic = "abort"`, panics cannot be isolated.
//!
//! # Features
//!
//! `toml`: agent and prompt definitions in TOML.

extern crate self as hook_sdk;

// The layers. A module uses the modules above it, never those below it.
mod tables;
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
pub mod protocol;
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

pub use context::{HookContext, HookContextBuilder, MissingState, State, With};
pub use diagnostics::ConfigError;
pub use dispatch::{DispatchError, Fired};
pub use engine::{JsonError, JsonFired};
pub use hook::{Hook, HookId};
pub use hooks_macros::{HookKind, hook};
pub use kind::bounds;
pub use kind::{Allowed, Field, FinalSubject, HookKind, KindDescriptor, Never, Removal, Semantics, Slot, Violation};
pub use panics::quiet_panics;
pub use plan::{HookSet, PlannedHook};
pub use registry::{ObserverId, Registry};
pub use tokio_util::sync::CancellationToken;
pub use verdict::Verdict;
