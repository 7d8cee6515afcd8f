//! A support desk whose hooks mask, guard and count.
//!
//! It reads recorded conversations and carries each through the kinds of a turn, as a harness would: the hooks that
//! `desk/agent.json` names rewrite what is stored and shown, and decide which calls may run. Start with [`hooks`], what a
//! developer writes, and [`replay`], where each kind fires.

hooks_core::setup!();

pub mod args;
pub mod conversation;
pub mod desk;
pub mod glimpse;
pub mod hooks;
pub mod lines;
pub mod mask;
pub mod output;
pub mod replay;
pub mod report;
pub mod run;
pub mod summary;
pub mod tally;
