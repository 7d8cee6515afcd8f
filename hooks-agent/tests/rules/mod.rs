//! Rules from files in the loop: scripts are given what happens in a turn, and the turn obeys what they answer.
//!
//! Each test has a harness with a scripted model, tools that note what they get, a file of rules, and scripts of its own.
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
mod told;
mod transcripts;
