//! A support desk whose hooks mask, guard and count.
//!
//! It carries recorded conversations through the turn loop of `hooks-agent`, or lets a person talk to a clerk who follows
//! rules: the hooks that `desk/agent.json` names rewrite what is stored and shown, and decide which calls may run. Start
//! with [`hooks`], what a developer writes; [`desk`] puts them in force, [`replay`] and [`chat`] run turns under them.

hooks_core::setup!();

pub mod args;
pub mod chat;
pub mod conversation;
pub mod desk;
pub mod glimpse;
pub mod hooks;
pub mod lines;
pub mod mask;
pub mod output;
pub mod recorded;
pub mod replay;
pub mod report;
pub mod rules;
pub mod run;
pub mod scenes;
#[cfg(feature = "store")]
pub mod stored;
pub mod summary;
pub mod tally;
pub mod trace;
