//! A support desk with hooks that mask, guard and count.
//!
//! It replays recorded conversations through the turn loop of `hooks-agent`, or lets a person talk to a rule-based
//! clerk. The hooks in `desk/agent.json` rewrite what is stored and shown, and decide which calls may run. Start with
//! [`hooks`], which is what a developer writes. [`desk`] puts them in force, and [`replay`] and [`chat`] run turns with
//! them.

hook_sdk::setup!();

pub mod args;
pub mod chat;
pub mod conversation;
pub mod desk;
pub mod glimpse;
pub mod hooks;
pub mod lines;
pub mod mask;
pub mod output;
#[cfg(feature = "replay")]
pub mod recorded;
pub mod replay;
pub mod report;
#[cfg(feature = "rules")]
pub mod rules;
pub mod run;
pub mod scenes;
#[cfg(feature = "store")]
pub mod stored;
pub mod summary;
pub mod tally;
pub mod trace;
