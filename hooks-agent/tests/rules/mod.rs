//! Rules from files in the loop: scripts get the events of a turn, and the turn applies their answers.
//!
//! Each test has a harness with a scripted model, tools that record their inputs, a rule file, and scripts.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod agents;
mod calls;
mod compaction;
mod desk;
mod ends;
mod exports;
mod given;
mod halts;
mod permissions;
mod plugins;
mod prompts;
mod results;
mod scripts;
mod sessions;
mod reports;
mod transcripts;
