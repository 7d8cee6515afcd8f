//! The built-in kinds: that all of them are known, what they refuse, and how they are fired as JSON.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod blocks;
mod checks;
mod json;
mod least;
mod listed;
mod phases;
mod pool;
mod tool_results;
mod verdicts;
mod wire;
